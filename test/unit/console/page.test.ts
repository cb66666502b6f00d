import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { offeredCommands } from '../../../scripts/connector/ground/console/run-command.ts';
import type { Block, Document } from '../../../scripts/connector/ground/terminal/document.ts';
import { type Line, line } from '../../../scripts/connector/ground/terminal/line.ts';
import { openSmallPage } from '../../support/small-page.ts';

const NOW = '2026-11-12T14:05:09Z';
const TITLE = { title: 'An answer', blocks: [] };
const later = (ms = 1_000) => vi.advanceTimersByTimeAsync(ms);

interface Console {
  readonly shops?: readonly string[];
  readonly readOnly?: boolean;
  readonly answers?: (line: Line) => Document;
}

/** The page of a console at this address, whose commands answer so, and what it has asked. */
async function visit(hash: string, { shops = ['one'], readOnly = false, answers }: Console = {}) {
  vi.useFakeTimers({ now: Date.parse(NOW) });
  vi.resetModules();
  const asked: Line[] = [];
  const page = openSmallPage({
    location: { hash },
    history: { pushState: () => {}, replaceState: () => {} },
    localStorage: { getItem: () => 'key' },
    matchMedia: () => ({ matches: false }),
    addEventListener: () => {},
    async fetch(_: string, { body }: { readonly body: string }) {
      const wanted: Line = JSON.parse(body);
      asked.push(wanted);
      const said = [{ document: answers?.(wanted) ?? TITLE }, { code: 0 }];
      return new Response(said.map((one) => `${JSON.stringify(one)}\n`).join(''));
    },
  });
  const content = JSON.stringify({
    ...{ where: 'aws', stack: 'shop-prod', region: 'eu-west-1', version: '1.0.0' },
    ...{ shops, readOnly, hasStorefront: true },
    ...{ commands: offeredCommands(readOnly), previewed: ['dead-letters replay'] },
  });
  const meta = Object.assign(page.createElement('meta'), { content });
  meta.setAttribute('name', 'console');
  page.document.append(meta);
  await import(resolve('scripts/connector/ground/console/page/page.tsx'));
  await later();
  const main = page.body.querySelector('main');
  return { ...page, asked, shown: () => main?.shown ?? [] };
}

const at = (time: string) => ({ at: `2026-11-${time}Z` });
const suggestion = { label: 'See all', line: line('dead-letters list') };

/** Of each kind of block all that it can have: what stands where on the page. */
const BLOCKS: readonly [Block, string][] = [
  [{ kind: 'text', text: 'One.\nTwo.' }, 'One. | Two.'],
  [
    {
      ...{ kind: 'findings', title: 'Found' },
      findings: [
        {
          ...{ tone: 'bad', name: 'secrets', what: 'missing', fix: 'Copy it.', next: [suggestion] },
          follows: [{ tone: 'pending', what: '5 orders wait.' }],
        },
        { tone: 'ok', what: 'All set.' },
      ],
    },
    'Found | ✕ | secrets | missing | Copy it. | #/dead-letters/list | See all | 1 | more, fixed by the same step | ! | 5 orders wait. | ✓ | All set.',
  ],
  [
    {
      ...{ kind: 'facts', title: 'The order' },
      facts: [
        ['Created', at('12T12:05:09')],
        ['Lines', -1234],
        ['Customer', { text: '#55', opens: line('redemptions show', ['55']) }],
        ['Id', '8012300032771'],
      ],
    },
    'The order | Created | 2 h ago | Lines | −1,234 | Customer | #/redemptions/show/55 | #55 | Id | 8012300032771 | Copy',
  ],
  [
    {
      ...{ kind: 'table', title: 'Sides', columns: [{ title: 'Side' }, { title: 'Points' }] },
      rows: [
        { cells: ['Store', 5], detail: 'as of now' },
        { cells: ['Ledger', 7], next: [suggestion] },
      ],
    },
    'Sides | Side | Points | Store | 5 | as of now | Ledger | 7 | #/dead-letters/list | See all',
  ],
  [{ kind: 'table', columns: [{ title: 'About' }], rows: [], empty: 'None waits.' }, 'None waits.'],
  [
    {
      ...{ kind: 'timeline', title: 'What happened' },
      lines: [
        { ...at('12T12:00:00'), who: 'Store', what: 'created', detail: 'orders/create' },
        {
          ...{ ...at('14T12:00:01'), who: 'Connector', what: 'sent' },
          facts: [
            ['Received', at('14T12:00:00')],
            ['Data as of', at('12T12:00:00')],
          ],
        },
      ],
    },
    'What happened | Thu, 12 Nov 2026 | , | GMT-3:30 | 08:30:00 | Store | created | orders/create | Sat, 14 Nov 2026 | , | GMT-3:30 | 08:30:01 | Connector | sent | Received | 08:30:00 | Data as of | 12 Nov 2026, 08:30:00',
  ],
  [
    {
      ...{ kind: 'chart', title: 'Calls', from: NOW, everySeconds: 60, unit: 'count' },
      series: [
        { name: 'made', values: [1, null, 8, 0] },
        { name: 'refused', values: [null, 0, 4, 2] },
      ],
    },
    'Calls | 8 | 4 | 0 | 10:35 | 10:36 | 10:37 | 10:38 | 10:39 | made | refused | As a table | Time | made | refused | 12 Nov 2026, 10:38:09 | 0 | 2 | 12 Nov 2026, 10:37:09 | 8 | 4 | 12 Nov 2026, 10:35:09 | 1 | –',
  ],
  [{ kind: 'code', title: 'Body', text: '{}' }, 'Body | Copy | {}'],
  [
    { kind: 'section', title: 'Rewards', blocks: [{ kind: 'text', text: 'Five off' }] },
    'Rewards | Five off',
  ],
];

describe('the page of the console', () => {
  it('shows all that each kind of block can have', async () => {
    const shown: unknown[] = [];
    const text: Document = { ...TITLE, verdict: { kind: 'ok', what: 'All is well.' } };
    for (const [block] of BLOCKS) {
      const page = await visit('#/trace/order/7', {
        answers: () => ({ ...text, blocks: [block] }),
      });
      const texts = page.shown();
      shown.push([block.kind, texts.slice(texts.indexOf('All is well.') + 1).join(' | ')]);
      if (block.kind !== 'chart') continue;
      const paths = page.body.querySelectorAll('path').map((one) => one.getAttribute('d'));
      expect(paths).toEqual(expect.arrayContaining(['M0.5 87.5M2.5 0L3.5 100', 'M0.5 87.5h0']));
    }
    expect(shown).toEqual(BLOCKS.map(([{ kind }, texts]) => [kind, texts]));
  });

  it.each<[string, Console, Line | undefined]>([
    ['', {}, line('status', [], { charts: true })],
    ['', { readOnly: true }, undefined],
    ['#/pause?yes', {}, line('status', [], { charts: true })],
    ['#/dead-letters/list', {}, line('dead-letters list', [], { limit: 25 })],
    ['#/dead-letters/list?limit=50', {}, line('dead-letters list', [], { limit: '50' })],
    ['#/trace/order/7?reveal', {}, line('trace', ['order', '7'])],
  ])('at %j, %j, asks %j', async (hash, about, wanted) => {
    const { asked, shown } = await visit(hash, about);
    expect(asked).toEqual(wanted ? [wanted] : []);
    expect(shown()).toContain(wanted ? 'Refresh' : 'Find');
  });

  it('asks for the shop of a search only where there are several', async () => {
    const fieldsOf = async (shops: readonly string[]) =>
      (await visit('#/redemptions/list', { shops })).body
        .querySelectorAll('label')
        .map((one) => one.textContent);
    const label = 'Customer id, e-mail address or reward code';
    expect(await fieldsOf(['one'])).toEqual([label]);
    expect(await fieldsOf(['one', 'two'])).toEqual([label, 'Shopchooseonetwo']);
  });

  it.each([
    ['#/trace/order/7', 1],
    // Each look at personal data is recorded: a person asks for it.
    ['#/trace/order/7 revealed', 0],
  ])(
    'at %s asks again by itself after %i times its time, and not before',
    async (address, times) => {
      const reveal = line('trace', ['order', '7'], { reveal: true });
      const page = await visit('#/trace/order/7', {
        answers: () => ({ ...TITLE, freshSeconds: 15, next: [{ label: 'Show', line: reveal }] }),
      });
      if (address.endsWith('revealed')) page.body.press('Show');
      await later();
      const before = page.asked.length;
      for (const _ of [1, 2]) {
        page.document.dispatchEvent(new Event('visibilitychange'));
        await later(5_000);
      }
      expect(page.asked.slice(before)).toEqual([]);
      await later(10_000);
      expect(page.asked.slice(before)).toHaveLength(times);
    },
  );

  it('offers to agree only to what its preview says with --yes', async () => {
    const agree = line('dead-letters replay', [], { until: 't', yes: true });
    const next = [
      { label: 'See more', line: line('dead-letters replay', [], { limit: 50 }) },
      { label: 'Send 4', line: agree },
    ];
    const page = await visit('#/trace/order/7', {
      answers: ({ command }) =>
        command === 'trace'
          ? { ...TITLE, next: [{ label: 'Replay', line: agree }] }
          : { ...TITLE, next },
    });
    page.body.press('Replay');
    await later();
    expect(page.asked.at(-1)).toEqual(line('dead-letters replay', [], { until: 't' }));
    const dialog = page.body.querySelector('dialog');
    expect(dialog?.querySelectorAll('[type="submit"]').map((one) => one.textContent)).toEqual([
      'Send 4',
    ]);
  });
});
