"""Webhooks: one module a kind, and what sends, retries and logs for all of them.

| module | what it does |
|---|---|
| `standard`, `discord`, `foundry_rest` | one kind each: what is sent, and what an answer means |
| `happenings` | what an event says, as the webhook may see it |
| `transport` | posts to an address that a user gave, and to no private one |
| `schedule` | when to try again |
| `deliver` | one attempt, from what is due to what is logged; the RQ job |
| `lanes` | a lane for each receiver, so that none waits for another |
"""
