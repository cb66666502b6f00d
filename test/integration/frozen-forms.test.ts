import { globSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Golden, goldenOf, plain, type Sample } from '../support/golden/golden.ts';
import { BEGINNINGS, CURSORS } from '../support/golden/ledger.ts';
import { readable, unsaid } from '../support/golden/messages.ts';
import { openSections } from '../support/golden/sections.ts';

const { sections, stop } = await openSections();
afterAll(stop);

/** What a person who changed a form reads first. */
const FROZEN = `form 1 is frozen since 1.0.0-rc.2: messages and items of it are in queues and tables of merchants.
A new shape needs form 2 and a reader for both; see docs/upgrades.md, "Forms". A name that changes is another name:
what was done under the old one, such as giving points, is done again.`;

describe.each(Object.entries(sections))('what outlives a deployment: %s', (section, samples) => {
  const golden = goldenOf(section);
  const all = Object.entries(samples).map(([name, sample]) => ({ name, sample }));

  const withWriter = all.filter(({ sample }) => sample.write);
  it.each(withWriter)('is written as it was frozen: $name', async ({ name, sample }) => {
    const frozen = frozenOf(golden, name);
    const said = `${FROZEN}\nWritten in another shape than test/golden/form-1/${section}.json says: ${name}`;
    expect(readable(plain(await sample.write?.())), said).toEqual(readable(frozen.written));
  });

  const withReader = all.filter(({ sample }) => sample.read);
  it.each(withReader)('is read as it was frozen: $name', async ({ name, sample }) => {
    const frozen = frozenOf(golden, name);
    const said = `${FROZEN}\nNo longer read as test/golden/form-1/${section}.json says: ${name}`;
    expect(plain(await readFrozen(sample, frozen, said)), said).toEqual(frozen.read);
  });

  it('keeps a reader of everything that was frozen', () => {
    const lost = Object.keys(golden).filter((name) => !(name in samples));
    expect(lost, `${FROZEN}\nFrozen, and read by no sample any more`).toEqual([]);
  });
});

function frozenOf(golden: Readonly<Record<string, Golden>>, name: string): Golden {
  const frozen = golden[name];
  if (!frozen) throw new Error(`"${name}" has no golden form yet: npm run golden writes it`);
  return frozen;
}

async function readFrozen(sample: Sample, { written }: Golden, said: string): Promise<unknown> {
  try {
    return await sample.read?.(written as never);
  } catch (cause) {
    throw new Error(said, { cause });
  }
}

describe('the golden files', () => {
  // That every kind of event, entity, record, state and secret stands in them, the type check proves.
  it('have a message of every claim and origin', () => {
    expect(unsaid()).toEqual([]);
  });

  it('have every form of what the ledger remembers', () => {
    const items = JSON.stringify(goldenOf('ledger'));
    expect(BEGINNINGS.filter((one) => !items.includes(`"m":{"S":"${one}`))).toEqual([]);
  });

  it('have every position of a scan', () => {
    const named = globSync('shared/{core,rewards}/**/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/openCursor<(\{[^}]*\}|\w+)>\(/g)].map(
        ([, type]) => type,
      ),
    );
    expect(new Set(named)).toEqual(new Set(Object.keys(CURSORS)));
  });
});
