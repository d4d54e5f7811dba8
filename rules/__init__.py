"""The rules that Tallybones resolves, pure: what can be asked, what is thrown, how it is judged, exact odds."""
