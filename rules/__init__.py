"""The rules that Tallybones resolves: what can be asked, what is thrown, how it is judged, and exact odds."""
