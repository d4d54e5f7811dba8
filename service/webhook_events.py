"""What webhooks hear of, and the kinds of webhook there are."""

ROLL_RESOLVED = "roll.resolved"
SESSION_STARTED = "session.started"
SESSION_ENDED = "session.ended"
REPORT_READY = "report.ready"
TEST = "webhook.test"
EVENTS = (ROLL_RESOLVED, SESSION_STARTED, SESSION_ENDED, REPORT_READY, TEST)

STANDARD, DISCORD, FOUNDRY_REST = "standard", "discord", "foundry-rest"
KINDS = (STANDARD, DISCORD, FOUNDRY_REST)
