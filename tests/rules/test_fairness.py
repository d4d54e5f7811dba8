"""What a session publishes, and what its seed has to keep to."""

import hashlib

from rules.fairness import commitment, keeps, new_seed


def test_a_commitment_is_the_sha_256_of_version_session_and_seed() -> None:
    seed = bytes(range(32))
    assert commitment("q2wza7bcde", seed) == hashlib.sha256(b"v1|q2wza7bcde|" + seed).hexdigest()


def test_a_seed_is_32_bytes_and_never_the_same() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert {len(seed) for seed in seeds} == {32}
    assert len(seeds) == 100


def test_the_seed_that_was_committed_to_keeps_and_no_other_does() -> None:
    seed = new_seed()
    published = commitment("q2wza7bcde", seed)
    assert keeps("q2wza7bcde", seed, published)
    assert not keeps("q2wza7bcde", new_seed(), published)
    assert not keeps("another777", seed, published)
    assert not keeps("q2wza7bcde", seed, published[:-1] + "é")
