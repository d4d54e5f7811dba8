"""Reports: what a campaign's rolls came to, beside what their odds let one expect.

Loads scipy and matplotlib: for the worker of the queue `reports` alone.
"""
