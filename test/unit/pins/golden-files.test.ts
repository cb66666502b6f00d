import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../shared/config/release.ts';
import {
  type GoldenItem,
  type GoldenMessage,
  readItem,
  readMessage,
  tellGoldenStory,
} from '../../support/golden-story.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures');

function load<Content>(version: string, name: string): Readonly<Record<string, Content>> {
  return JSON.parse(readFileSync(join(FIXTURES, version, `${name}.json`), 'utf8'));
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** 0.1.0 has tests of its own: its files do not say what they mean. */
const versions = readdirSync(FIXTURES).filter((name) => /^v\d/.test(name) && name !== 'v0.1.0');

describe.each(versions)('what version %s wrote', (version) => {
  const messages = load<GoldenMessage>(version, 'messages');
  it.each(Object.keys(messages))('is read as it was meant, the message: %s', (name) => {
    const { body, means } = messages[name] as GoldenMessage;
    expect(plain(readMessage(body))).toMatchObject(means as object);
  });

  const items = load<GoldenItem>(version, 'ledger-items');
  it.each(Object.keys(items))('is read as it was meant, the item: %s', (name) => {
    const { item, means } = items[name] as GoldenItem;
    const [kind = ''] = name.split(',');
    expect(plain(readItem(kind, item))).toMatchObject(means as object);
  });
});

describe('the files of this version', () => {
  it('hold exactly what it writes; before its release: npm run golden', async () => {
    const folder = join(FIXTURES, `v${VERSION}`);
    expect(existsSync(folder), `${folder} is missing: npm run golden`).toBe(true);
    const { messages, items } = await tellGoldenStory();
    expect(plain(messages)).toEqual(load(`v${VERSION}`, 'messages'));
    expect(plain(items)).toEqual(load(`v${VERSION}`, 'ledger-items'));
  });
});
