import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Browser, Locator, Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { captureOutput } from '../../../local/harness/captured-output.ts';
import { loadConnector } from '../../../local/stack/choose-settings.ts';
import { openConsole } from '../../../scripts/connector/ground/console/server.ts';
import type { Deployment } from '../../../scripts/connector/ground/session/deployment.ts';
import { type Action, runAction } from '../../../scripts/connector/ground/session/run-action.ts';
import type { Block, Document } from '../../../scripts/connector/ground/terminal/document.ts';
import { type Line, line } from '../../../scripts/connector/ground/terminal/line.ts';
import { printDocument } from '../../../scripts/connector/ground/terminal/print-document.ts';
import { createTerminal } from '../../../scripts/connector/ground/terminal/terminal.ts';
import { PACKAGE_FOLDER } from '../../../shared/config/folders.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { PROJECT } from '../../support/project.ts';
import { SETTINGS } from '../../support/shop-in-browser.ts';
import { findBarriers } from './find-barriers.ts';
// biome-ignore lint/correctness/useImportExtensions: it is JavaScript, with its types beside it
import * as inPage from './in-page.mjs';
import { SAMPLE } from './sample-document.ts';

interface Agreed {
  readonly yes?: boolean;
}
type Answers = Readonly<Record<string, Action<Agreed>>>;

const PATIENCE = { timeout: 30_000, interval: 50 };

let browser: Browser;

/** These say without `--yes` what they would do. */
const PREVIEWED: ReadonlySet<string> = new Set(['dead-letters replay', 'dead-letters drop']);

/** A program whose commands take any words and answer as the test wants. */
function programOf(answers: Answers): Command {
  const program = new Command();
  for (const [path, answer] of Object.entries(answers)) {
    const [first = '', second] = path.split(' ');
    const group = second === undefined ? program : groupOf(program, first);
    const command = group
      .command(second ?? first)
      .allowUnknownOption()
      .allowExcessArguments();
    if (PREVIEWED.has(path)) command.option('--yes');
    command.action(runAction(answer));
  }
  return program;
}

const groupOf = (program: Command, name: string) =>
  program.commands.find((one) => one.name() === name) ?? program.command(name);

/** The page of a console whose commands answer so, and what it has asked. */
async function visit(
  answers: Answers,
  { at = '#/trace/order/7', readOnly = false, width = 1280 } = {},
) {
  const connector = await loadConnector('prod', PROJECT, resolve(PACKAGE_FOLDER, SETTINGS));
  const deployment = {
    ...{ where: 'aws', stage: 'prod', stack: 'loyalty-connector-prod', region: 'eu-west-1' },
    ...{ version: '1.0.0', aws: {}, connector },
  } as unknown as Deployment;
  const opened = await openConsole(
    deployment,
    { createProgram: () => programOf(answers), readOnly },
    (text) => {
      throw new Error(text);
    },
  );
  const context = await browser.newContext({
    ...{ viewport: { width, height: 900 }, locale: 'en-GB' },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  onTestFinished(async () => {
    await context.close();
    await opened.stop();
    expect(problems).toEqual([]);
  });
  const asked: Line[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/run')) asked.push(JSON.parse(request.postData() ?? ''));
  });
  await page.goto(`${opened.address}${at}`);
  return { page, asked };
}

const answer = (document: Document) => async () => document;
const text = (words: string): Document => ({ title: words, blocks: [] });
const textOf = (page: Page) => page.locator('main').innerText();
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

/** What a reader must find of each kind of block. */
const WORDS: Readonly<Record<Block['kind'], readonly string[]>> = {
  text: ['A paragraph.', 'Another one.'],
  findings: [
    'Found',
    'secrets',
    'is missing',
    'Copy it from the admin',
    'Every webhook is refused',
  ],
  facts: ['The order', 'rejected', '#55', 'Leave it at the door'],
  table: [
    'Both sides now',
    'Loyalty service',
    '245.00',
    'replayed once before',
    '−32.67',
    'counted',
    'No coupon waits.',
  ],
  timeline: ['What happened', 'refused sendOrder', 'orders/create'],
  chart: [],
  code: ['"OrderTotal": 163.33'],
  section: ['Subscriptions', 'Topics', 'Rewards', '5 off, from 20'],
};
const HEAD = [
  'Order #1007',
  'Action required',
  'the shopper is unknown',
  'When the cause is repaired',
];

describe.runIf(findBrowser() !== undefined)('the page', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    browser = await startBrowser(findBrowser() ?? '');
  });
  afterAll(() => browser.close());

  it('draws every kind of block, and so does a terminal', async () => {
    const words = [...HEAD, ...Object.values(WORDS).flat()].map((one) => one.toLowerCase());
    const output = captureOutput();
    printDocument(createTerminal({ quiet: true }), SAMPLE, { now: new Date(), full: true });
    output.stop();
    const printed = output.pieces.join('').toLowerCase();
    expect(words.filter((one) => !printed.includes(one))).toEqual([]);

    const { page } = await visit({ trace: answer(SAMPLE) });
    await heading(page, SAMPLE.title).waitFor();
    const drawn = ((await page.locator('main').textContent()) ?? '').toLowerCase();
    expect(words.filter((one) => !drawn.includes(one))).toEqual([]);
    for (const one of ['messages per minute', 'from store to service', 'p99']) {
      expect(drawn).toContain(one);
      expect(printed).not.toContain(one);
    }
    const lines = page.getByRole('figure').locator('.plot path:not(.grid, .dots)');
    expect(await lines.count()).toBe(5);
    expect(await lines.first().getAttribute('d')).toMatch(/^M0\.5 \d+(\.\d+)?L1\.5 /);
    const folded = page.getByText('Every webhook is refused.');
    expect(await folded.isVisible()).toBe(false);
    await page.getByText('2 more, fixed by the same step').click();
    expect(await folded.isVisible()).toBe(true);
    const cell = page.getByRole('table', { name: 'Both sides now' }).getByRole('cell').last();
    expect(await cell.getAttribute('class')).toBe('right');
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.getByTitle(/^12 Nov 2026, \d\d:00:00$/).count()).toBeGreaterThan(0);
  });

  it('fits a telephone: every column of every table is on the screen', async () => {
    const { page } = await visit({ trace: answer(SAMPLE) }, { width: 390 });
    await heading(page, SAMPLE.title).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate(inPage.findTooWide)).toEqual([]);
    const cells = page.locator('.table td');
    for (const cell of await cells.all()) {
      const box = await cell.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390);
    }
    expect(await page.getByRole('navigation').getByRole('link').count()).toBe(7);
    const boxes = await Promise.all(
      (await page.getByRole('navigation').getByRole('link').all()).map((one) => one.boundingBox()),
    );
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  });

  it('asks the command line that is its address, also of links, filters and tabs', async () => {
    const { page, asked } = await visit({
      trace: answer(SAMPLE),
      history: answer(text('What was done')),
      'dead-letters list': answer(text('Dead letters of this shop')),
    });
    await heading(page, SAMPLE.title).waitFor();
    await page.getByRole('link', { name: 'See 5 rejected orders' }).click();
    await page.getByText('Dead letters of this shop').waitFor();
    expect(page.url()).toMatch(/#\/dead-letters\/list\?reason=rejected$/);
    expect(await page.locator('nav [aria-current]').innerText()).toBe('Dead letters');
    await page.getByLabel('Order, code, error or id').fill('#1007');
    await page.keyboard.press('Enter');
    await expect.poll(() => asked.at(-1)?.options.text, PATIENCE).toBe('#1007');
    await page.getByText('Dead letters of this shop').waitFor();
    await page.getByRole('link', { name: 'History' }).click();
    await heading(page, 'History').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('anna');
    await page.keyboard.press('Enter');
    await expect.poll(() => asked.at(-1)?.options.who, PATIENCE).toBe('anna');
    await heading(page, 'History').waitFor();
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('Dead letters of this shop').waitFor();
    expect(asked.map(({ options, ...one }) => ({ ...one, options }))).toEqual([
      line('trace', ['order', '7']),
      line('dead-letters list', [], { limit: 25, reason: 'rejected' }),
      line('dead-letters list', [], { limit: '25', reason: 'rejected', text: '#1007' }),
      line('history', [], { limit: '25' }),
      line('history', [], { limit: '25', who: 'anna' }),
      line('dead-letters list', [], { limit: '25' }),
    ]);
    await page.getByText('In a terminal').click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await expect
      .poll(() => page.evaluate('navigator.clipboard.readText()'), PATIENCE)
      .toBe(
        'npx loyalty-connector dead-letters list --limit 25 --stack loyalty-connector-prod --region eu-west-1',
      );
  });

  it('keeps an e-mail address and the wish to see personal data out of its address', async () => {
    const { page, asked } = await visit({ trace: answer(SAMPLE) }, { at: '#/trace?reveal' });
    await page.getByLabel('Order, product, code or customer').fill('anna@example.org');
    await page.keyboard.press('Enter');
    await heading(page, SAMPLE.title).waitFor();
    expect(page.url()).toMatch(/#\/trace$/);
    await page.getByRole('link', { name: 'Find' }).click();
    await heading(page, 'Find').waitFor();
    await page.getByLabel('Order, product, code or customer').fill('1007');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url(), PATIENCE).toMatch(/#\/trace\/1007$/);
    await page.getByRole('button', { name: 'Show personal data' }).click();
    await expect.poll(() => asked.at(-1)?.options.reveal, PATIENCE).toBe(true);
    expect(page.url()).toMatch(/#\/trace\/order\/7$/);
    // Who agreed to see one customer's data did not ask for the next one's.
    await page.getByLabel('Order, product, code or customer').fill('1008');
    await page.keyboard.press('Enter');
    await expect.poll(() => asked.at(-1)?.operands, PATIENCE).toEqual(['1008']);
    expect(asked.at(-1)?.options).not.toHaveProperty('reveal');
    expect(asked.map(({ operands }) => operands[0])).toEqual([
      ...['anna@example.org', '1007', 'order', '1008'],
    ]);
  });

  describe('a change', () => {
    const AGREE = {
      label: 'Send 4',
      line: line('dead-letters replay', [], { until: 't', yes: true }),
    };
    const PREVIEW: Document = {
      title: '4 would be sent again',
      blocks: [
        {
          kind: 'table',
          columns: [{ title: 'About' }, { title: 'Queue' }],
          rows: [{ cells: ['#1012', 'orders'] }],
        },
      ],
      next: [AGREE],
    };
    const DONE: Document = {
      title: 'Sent again',
      verdict: { kind: 'ok', what: '4 of 4 were accepted.' },
      blocks: [],
    };
    let sent: number;
    const replay: Action<Agreed> = async (_session, { yes }) => {
      if (!yes) return PREVIEW;
      sent += 1;
      return DONE;
    };

    async function openDialog(answers: Answers) {
      sent = 0;
      const visited = await visit({ trace: answer(SAMPLE), ...answers });
      const opener = visited.page.getByRole('button', { name: 'Send 5' });
      await opener.focus();
      await visited.page.keyboard.press('Enter');
      return { ...visited, opener, dialog: visited.page.getByRole('dialog') };
    }
    const expectFocus = (one: Locator) =>
      expect.poll(() => one.evaluate((found) => found.matches(':focus')), PATIENCE).toBe(true);
    const press = (dialog: Locator, name: string) => dialog.getByRole('button', { name }).click();

    it('shows what it would do, does what was agreed to, and shows how it ended, by keys alone', async () => {
      const { page, asked, opener, dialog } = await openDialog({ 'dead-letters replay': replay });
      const agree = dialog.getByRole('button', { name: 'Send 4' });
      await expectFocus(agree);
      expect(await dialog.getByRole('table').innerText()).toContain('#1012');
      expect(sent).toBe(0);
      await page.keyboard.press('Enter');
      await dialog.getByText('4 of 4 were accepted.').waitFor();
      await dialog.getByRole('heading', { name: 'Sent again' }).waitFor();
      await expectFocus(dialog.getByRole('button', { name: 'Close' }));
      expect(sent).toBe(1);
      // What the preview named, not more: a dead letter may have come since.
      expect(asked.at(-1)).toMatchObject({ options: { until: 't', yes: true } });
      const before = asked.length;
      await page.keyboard.press('Escape');
      await expect.poll(() => asked.length, PATIENCE).toBe(before + 1);
      expect(asked.at(-1)?.command).toBe('trace');
      await expectFocus(opener);
    });

    it('is not the first choice where it takes something away, and the next key begins at the content', async () => {
      const drop = line('dead-letters drop', ['7'], { yes: true });
      const next = [{ label: 'Drop 1', line: drop }];
      let shown: Document = { ...text('A dead letter'), next };
      const { page } = await visit({
        trace: async () => shown,
        async 'dead-letters drop'(_session, { yes }) {
          if (!yes) return { ...text('Would drop it'), next };
          shown = text('It left the queue');
          return text('Dropped');
        },
      });
      await page.getByRole('button', { name: 'Drop 1' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('heading', { name: 'Would drop it' }).waitFor();
      await expectFocus(dialog.getByRole('button', { name: 'Cancel' }));
      await press(dialog, 'Drop 1');
      await dialog.getByRole('heading', { name: 'Dropped' }).waitFor();
      await press(dialog, 'Close');
      await expectFocus(heading(page, 'It left the queue'));
    });

    it('cannot be agreed to where its preview says that nothing can be done, or fails', async () => {
      const nothing = text('None would be sent');
      const { dialog } = await openDialog({ 'dead-letters replay': answer(nothing) });
      await dialog.getByRole('heading', { name: nothing.title }).waitFor();
      expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Close']);
      const failing = await openDialog({
        'dead-letters replay': () => Promise.reject(new Error('refused')),
      });
      await failing.dialog.getByRole('alert').getByText('refused').waitFor();
      expect(await failing.dialog.getByRole('button').allInnerTexts()).toEqual(['Close']);
    });

    it('asks for what a person must add, and runs with it', async () => {
      const { page, asked } = await visit({ trace: answer(SAMPLE), pause: answer(DONE) });
      await page.getByRole('button', { name: 'Pause' }).click();
      const dialog = page.getByRole('dialog');
      await expectFocus(dialog.getByLabel('Why'));
      await press(dialog, 'Pause');
      expect(await dialog.locator(':invalid:not(form)').count()).toBe(1);
      await dialog.getByLabel('Why').fill('a sale');
      await dialog.getByLabel('Queue').selectOption('orders');
      await press(dialog, 'Pause');
      await dialog.getByText('4 of 4 were accepted.').waitFor();
      expect(asked.at(-1)).toMatchObject({ options: { because: 'a sale', queue: 'orders' } });
    });

    it('shows how far it is, and stops in order', async () => {
      const { dialog } = await openDialog({
        async 'dead-letters replay'(session, { yes }) {
          if (!yes) return PREVIEW;
          const signal = session.interruption();
          session.terminal.progress('Sending', 4).report(1);
          session.terminal.note('The loyalty service answers slowly.');
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return {
            ...text('Sent 1 of 4'),
            verdict: { kind: 'unknown', what: '3 were not sent.' },
          };
        },
      });
      await press(dialog, 'Send 4');
      await dialog.getByText('Sending 1 of 4').waitFor();
      await dialog.getByText('answers slowly').waitFor();
      await press(dialog, 'Stop');
      await dialog.getByText('3 were not sent.').waitFor();
      await dialog.getByText('Stopped before it was complete.').waitFor();
    });

    it('is stopped, too, if the console had not begun yet', async () => {
      const { page, dialog } = await openDialog({
        async 'dead-letters replay'(session, { yes }) {
          if (!yes) return PREVIEW;
          await session.beginChange({} as Deployment);
          sent += 1;
          return DONE;
        },
      });
      await dialog.getByRole('button', { name: 'Send 4' }).waitFor();
      const held: Route[] = [];
      await page.route('**/run', (route) => void held.push(route));
      await press(dialog, 'Send 4');
      await press(dialog, 'Stop');
      await expect.poll(() => held.length, PATIENCE).toBe(1);
      const stopping = page.waitForRequest('**/stop');
      await held[0]?.continue();
      await stopping;
      await dialog.getByRole('button', { name: 'Close' }).waitFor();
      expect(sent).toBe(0);
    });

    it('is no longer asked about when the page shows something else', async () => {
      const { page, dialog } = await openDialog({ 'dead-letters replay': replay });
      await dialog.getByRole('button', { name: 'Send 4' }).waitFor();
      await page.evaluate("location.hash = '#/trace/order/8'");
      await dialog.waitFor({ state: 'detached' });
      expect(sent).toBe(0);
    });

    it('is a command to copy where the console only looks, or does not offer it', async () => {
      const { page } = await visit({ trace: answer(SAMPLE) }, { readOnly: true });
      await heading(page, SAMPLE.title).waitFor();
      expect(await page.getByRole('button', { name: 'Send 5' }).count()).toBe(0);
      const shown = await textOf(page);
      expect(shown).toContain('this console is read-only');
      expect(shown).toContain('npx loyalty-connector dead-letters replay --reason rejected --yes');
      expect(shown).toContain("npx loyalty-connector pause --because '<why>'");
      expect(shown).toContain('npx loyalty-connector secrets set loyalty');
    });
  });

  it('asks again only if the document says so, while it is seen, and waits for a slow answer', async () => {
    let fresh: number | undefined = 15;
    const { page, asked } = await visit({
      trace: async () => ({ ...text('Now'), ...(fresh && { freshSeconds: fresh }) }),
    });
    await page.clock.install();
    await page.reload();
    await heading(page, 'Now').waitFor();
    const before = asked.length;
    const held: Route[] = [];
    await page.route('**/run', (route) => (fresh ? void held.push(route) : route.continue()));
    await page.clock.runFor(60_000);
    await expect.poll(() => held.length, PATIENCE).toBe(1);
    fresh = undefined;
    await held[0]?.continue();
    await page.locator('[aria-busy="false"]').waitFor({ state: 'attached' });
    await page.clock.runFor(120_000);
    expect(asked.length).toBe(before + 1);
  });

  it('shows the answer to one address under no other, in whatever order answers come', async () => {
    const { page } = await visit({ trace: answer(text('Order 7')) });
    await heading(page, 'Order 7').waitFor();
    const held = new Map<string, Route>();
    await page.route('**/run', (route) => {
      const { operands }: Line = JSON.parse(route.request().postData() ?? '');
      held.set(operands[1] ?? '', route);
    });
    const goTo = async (id: string) => {
      await page.evaluate(`location.hash = '#/trace/order/${id}'`);
      await expect.poll(() => held.has(id), PATIENCE).toBe(true);
    };
    const arrive = async (id: string) => {
      const body = `${JSON.stringify({ document: text(`Order ${id}`) })}\n{"code":0}\n`;
      await held
        .get(id)
        ?.fulfill({ body })
        .catch(() => {}); // nobody waits for it any more
    };
    await goTo('8');
    expect(await heading(page, 'Order 7').count()).toBe(0);
    await goTo('9');
    await arrive('8');
    expect(await page.getByText(/Order [78]$/).count()).toBe(0);
    await arrive('9');
    await heading(page, 'Order 9').waitFor();
    expect(await page.getByText(/Order [78]$/).count()).toBe(0);
  });

  it('asks nothing while nobody sees it, and at once when somebody comes back', async () => {
    const { page, asked } = await visit({
      trace: answer({ ...text('Now'), freshSeconds: 15 }),
    });
    await page.clock.install();
    await page.reload();
    await heading(page, 'Now').waitFor();
    const setVisible = (state: 'hidden' | 'visible') =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
         document.dispatchEvent(new Event('visibilitychange'));`,
      );
    await setVisible('hidden');
    const before = asked.length;
    await page.clock.runFor(120_000);
    expect(asked.length).toBe(before);
    await setVisible('visible');
    await expect.poll(() => asked.length, PATIENCE).toBe(before + 1);
  });

  it('stops asking when it is told to, and says when the console is gone', async () => {
    const { page } = await visit({ trace: () => new Promise(() => {}) });
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
    await page.route('**/run', (route) => route.abort());
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByRole('alert').getByText('No answer').waitFor();
  });

  it('shows a problem with the command that helps', async () => {
    const { page } = await visit({
      async trace(session) {
        session.show(SAMPLE);
        throw Object.assign(new Error('The ledger does not answer.'), {});
      },
    });
    await page.getByRole('alert').getByText('The ledger does not answer.').waitFor();
    expect(await page.getByRole('alert').getByText('No answer').count()).toBe(0);
    await heading(page, SAMPLE.title).waitFor();
  });
});
