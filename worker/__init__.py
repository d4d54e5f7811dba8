"""The RQ side of Tallybones: one module a kind of job, and the worker that runs them."""
