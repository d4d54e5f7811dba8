import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader } from "../../../foundry-module/service/events.mjs";
import { isLater } from "../../../foundry-module/service/cursor.mjs";
import { NoConnectCode, parseCode } from "../../../foundry-module/service/code.mjs";
import { serviceName } from "../../../foundry-module/service/names.mjs";
import { uuid } from "../../../foundry-module/service/keys.mjs";

test("events are read however the stream is cut into pieces", () => {
  const stream = 'retry: 2000\n: connected\n\nid: 5-0\nevent: roll\ndata: {"a":\ndata: 1}\n\n:\n\nid: 6-0\r\nevent: session\r\ndata: x\r\n\r\n';
  const whole = new EventReader().push(stream);
  assert.deepEqual(whole, [
    { id: "5-0", event: "roll", data: '{"a":\n1}' },
    { id: "6-0", event: "session", data: "x" },
  ]);
  for (let size = 1; size < 9; size += 1) {
    const reader = new EventReader();
    const events = [];
    for (let at = 0; at < stream.length; at += size) events.push(...reader.push(stream.slice(at, at + size)));
    assert.deepEqual(events, whole, `pieces of ${size}`);
  }
});

test("an event without a name is a message, and a comment is nothing", () => {
  assert.deepEqual(new EventReader().push(": hello\n\ndata:plain\n\n"), [{ id: "", event: "message", data: "plain" }]);
});

test("stream ids are compared as numbers", () => {
  assert.equal(isLater("10-0", "9-0"), true);
  assert.equal(isLater("9-0", "9-0"), false);
  assert.equal(isLater("9-2", "9-1"), true);
  assert.equal(isLater("9-10", "9-9"), true);
  assert.equal(isLater("1-0", ""), true);
});

const packed = what => `tb1_${btoa(JSON.stringify(what)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;

test("a connect code is read with line breaks and spaces in it", () => {
  const code = packed({ url: "https://dice.example.org/", campaign: "abc", key: "tbg_x" });
  const spaced = ` ${code.slice(0, 12)}\n${code.slice(12)} `;
  assert.deepEqual(parseCode(spaced), { url: "https://dice.example.org", campaign: "abc", key: "tbg_x" });
});

test("what is no connect code says why", () => {
  const bad = { "hello": "codePrefix", "tb1_": "codeCut", "tb1_%%%": "codeCut", [packed({ url: "x", campaign: "a", key: "b" })]: "codeCut" };
  bad[packed({ url: "javascript:alert(1)", campaign: "a", key: "b" })] = "codeCut";
  bad[packed({ url: "https://a", campaign: "", key: "b" })] = "codeCut";
  bad[packed(null)] = "codeCut";
  for (const [text, reason] of Object.entries(bad)) {
    assert.throws(() => parseCode(text), error => error instanceof NoConnectCode && error.reason.endsWith(reason), text);
  }
});

test("names become what the service takes", () => {
  assert.equal(serviceName("  Anna\tB\n"), "Anna B");
  assert.equal(serviceName("<img src=x>"), "‹img src=x>");
  assert.equal(serviceName("1 < 2"), "1 < 2");
  assert.equal(serviceName(" \u0007 "), "?");
  assert.equal([...serviceName("🎲".repeat(90))].length, 80);
  assert.equal(serviceName("a\ud800b"), "a\ufffdb");
});

test("a UUID is made without the browser's own where there is none", () => {
  const own = crypto.randomUUID;
  crypto.randomUUID = undefined;
  try {
    const made = new Set(Array.from({ length: 50 }, () => uuid()));
    assert.equal(made.size, 50);
    for (const each of made) assert.match(each, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  } finally {
    crypto.randomUUID = own;
  }
});
