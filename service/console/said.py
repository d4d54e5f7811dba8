"""What a page says of the form that led to it; an address names it, so that none can bring words along."""

SAID = {
    "session-started": "The session is open. Its commitment is published; its dice are fixed from now on.",
    "session-open": "A session is open already: end it before you start another.",
    "session-ended": "The session has ended, and its seed is revealed: its dice can be checked.",
    "session-deleted": "The session is deleted.",
    "roll-deleted": "The roll is deleted.",
    "retention-changed": "It is changed how long sessions are kept.",
    "rolled": "Rolled.",
    "roll-waits": "Rolled: the other side is asked for an answer.",
    "roll-on-its-way": "Accepted: the card comes as soon as a worker has thrown the dice.",
    "answered": "Answered.",
    "token-revoked": "The token is revoked; whoever used it is cut off.",
    "name-changed": "The name is changed.",
    "rules-changed": "The house rules are changed. Rolls that were made keep the rules they were made under.",
    "webhook-changed": "The webhook is changed.",
    "webhook-deleted": "The webhook is deleted, with its log.",
    "test-sent": "A test is on its way: the log says what came of it.",
    "sent-again": "It is sent again now.",
    "report-asked": "The report is asked for.",
    "report-deleted": "The report is deleted.",
    "signed-out": "You are signed out.",
}
