"""What the store refuses."""


class StoreError(Exception):
    """The store refuses; each kind names what it is about in a field."""


class UnknownCampaign(StoreError):
    """There is no such campaign."""

    def __init__(self, campaign: str) -> None:
        super().__init__(f"there is no campaign {campaign}")
        self.campaign = campaign


class UnknownSession(StoreError):
    """The campaign has no such session."""

    def __init__(self, session: str) -> None:
        super().__init__(f"there is no session {session}")
        self.session = session


class UnknownRoll(StoreError):
    """The campaign has no such roll (any more)."""

    def __init__(self, roll: str) -> None:
        super().__init__(f"there is no roll {roll}")
        self.roll = roll


class SessionAlreadyOpen(StoreError):
    """A campaign has one open session at a time."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} is open already")
        self.session = session


class SessionNotOpen(StoreError):
    """The session that the roll names is not the open one."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} is not open")
        self.session = session


class TooManyReports(StoreError):
    """The asker has as many unfinished reports as one may have."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} reports are unfinished")
        self.most = most


class SessionStillOpen(StoreError):
    """The session has not ended, so it cannot be deleted."""

    def __init__(self, session: str) -> None:
        super().__init__(f"session {session} has not ended")
        self.session = session


class NotResolved(StoreError):
    """The roll is pending or awaits its other side, so it cannot be deleted."""

    def __init__(self, roll: str) -> None:
        super().__init__(f"roll {roll} is not resolved")
        self.roll = roll


class KeyReused(StoreError):
    """The idempotency key was used for another body."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {key} was used with another body")
        self.key = key


class AlreadyAnswered(StoreError):
    """Somebody has answered the challenge."""

    def __init__(self, roll: str) -> None:
        super().__init__(f"roll {roll} is answered already")
        self.roll = roll


class NotAwaiting(StoreError):
    """The roll does not wait for an answer: it never did, does not yet, or its session has ended."""

    def __init__(self, roll: str) -> None:
        super().__init__(f"roll {roll} does not wait for an answer")
        self.roll = roll


class UnknownWebhook(StoreError):
    """The campaign has no such webhook."""

    def __init__(self, webhook: str) -> None:
        super().__init__(f"there is no webhook {webhook}")
        self.webhook = webhook


class TooManyWebhooks(StoreError):
    """The campaign has as many webhooks as it may."""

    def __init__(self, most: int) -> None:
        super().__init__(f"a campaign has at most {most} webhooks")
        self.most = most


class UnknownDelivery(StoreError):
    """The webhook's log has no such delivery (any more)."""

    def __init__(self, delivery: str) -> None:
        super().__init__(f"there is no delivery {delivery}")
        self.delivery = delivery
