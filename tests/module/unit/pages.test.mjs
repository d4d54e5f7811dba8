import assert from "node:assert/strict";
import { test } from "node:test";
import { MOST_PAGES, readOn } from "../../../foundry-module/windows/gm/pages.mjs";

/** A service that has these pages; it notes the cursors that it was asked for. */
function service(pages) {
  const asked = [];
  const read = async (cursor) => {
    asked.push(cursor);
    const place = Number(cursor ?? 0);
    return { rolls: pages[place], next_cursor: place + 1 < pages.length ? String(place + 1) : null };
  };
  return { asked, read };
}

test("an empty page is not the end while it has a cursor", async () => {
  const { asked, read } = service([[], [], ["one"], ["two"]]);
  assert.deepEqual(await readOn(read), { rolls: ["one"], next_cursor: "3" });
  assert.deepEqual(asked, [undefined, "1", "2"]);
});

test("a page with rolls is enough, however few", async () => {
  const { asked, read } = service([["one"], ["two"]]);
  assert.deepEqual(await readOn(read), { rolls: ["one"], next_cursor: "1" });
  assert.deepEqual(asked, [undefined]);
  assert.deepEqual(await readOn(read, "1"), { rolls: ["two"], next_cursor: null });
});

test("where nothing fits it ends with the last page", async () => {
  const { asked, read } = service([[], [], []]);
  assert.deepEqual(await readOn(read), { rolls: [], next_cursor: null });
  assert.equal(asked.length, 3);
});

test("a long search stops for a while, and can go on", async () => {
  const { asked, read } = service(Array.from({ length: MOST_PAGES + 5 }, () => []));
  assert.deepEqual(await readOn(read), { rolls: [], next_cursor: String(MOST_PAGES) });
  assert.deepEqual(await readOn(read, String(MOST_PAGES)), { rolls: [], next_cursor: null });
  assert.equal(asked.length, MOST_PAGES + 5);
});
