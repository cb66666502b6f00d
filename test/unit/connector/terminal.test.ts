import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseMoment, wholeNumber } from '../../../scripts/connector/ground/session/arguments.ts';
import { renderTable } from '../../../scripts/connector/ground/terminal/print-document.ts';
import {
  createProgress,
  createTerminal,
  progressLine,
} from '../../../scripts/connector/ground/terminal/terminal.ts';
import {
  printable,
  printableJson,
  printableLines,
  relativeTime,
  shellWord,
  wrap,
} from '../../../scripts/connector/ground/terminal/text.ts';

const screen = (width: number) => ({ width, style: (_: unknown, text: string) => text });

describe('a table', () => {
  const columns = [
    { title: 'COUNT', align: 'right' },
    { title: 'WHY', shrinks: true },
    { title: 'ID' },
  ] as const;

  it('never is wider than the screen while a column can give way', () => {
    for (let width = 36; width < 120; width += 7) {
      const cells = ['12', 'a long text about what happened to it', '820982911946154508'];
      const rows = [{ cells, detail: 'x '.repeat(200) }];
      const text = renderTable({ columns, rows }, new Date(), screen(width));
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
      expect(text).toContain('820982911946154508');
    }
  });

  it('shows what would act on a terminal instead of letting it act', () => {
    const rows = [{ cells: ['1', '\u001b[2J\r\n', '\u202e'] }];
    const text = renderTable({ columns, rows }, new Date(), screen(80));
    expect(text).toContain('\\u001b[2J\\u000d\\u000a');
    expect(text.split('\n')).toHaveLength(2);
  });
});

describe('words for people', () => {
  it('say how long ago something was, in one unit', () => {
    const now = new Date('2026-10-09T12:00:00Z');
    const ago = (seconds: number) => relativeTime(now.getTime() - seconds * 1000, now);
    expect([0, 5, 60, 3_599, 3_600, 86_400 * 3 + 5].map(ago)).toEqual([
      'now',
      '5 s ago',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '3 d ago',
    ]);
    expect(ago(-120)).toBe('in 2 min');
    // Nearly two hours are not one.
    expect([ago(-7_140), ago(-93_600), ago(-36_660), ago(7_140)]).toEqual([
      ...['in 1 h 59 min', 'in 1 d 2 h', 'in 10 h', '1 h ago'],
    ]);
  });

  it('are broken at spaces, and nothing of them is lost', () => {
    const text = 'one two three four fourteen-letters five';
    const lines = wrap(text, 10);
    expect(lines.every((line) => line.length <= 10)).toBe(true);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
  });

  it('end on a screen of any width, even of none', () => {
    for (const width of [-40, -1, 0, 1, 5]) expect(wrap('one two three', width)).toHaveLength(2);
  });

  it('reach the screen with their line ends and our colours, and nothing else that acts on it', () => {
    expect(printableLines('a\n\u001b[31mred\u001b[39m')).toBe('a\n\u001b[31mred\u001b[39m');
    expect(printableLines('\u001b]0;title\u0007\u001b[2J\r')).toBe(
      '\\u001b]0;title\\u0007\\u001b[2J\\u000d',
    );
  });

  it('are the same in --json, in which no character acts on the screen', () => {
    const text = printableJson({ a: '\u0085\u007f\u2028\u202e\u001b"\\' });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: looks for control characters
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/);
    expect(JSON.parse(text)).toEqual({ a: '\u0085\u007f\u2028\u202e\u001b"\\' });
  });

  it('are one word to a shell, whatever they hold', () => {
    expect(shellWord('820982911946154508')).toBe('820982911946154508');
    expect(shellWord('SAVE 10')).toBe("'SAVE 10'");
    expect(shellWord("'; reboot #")).toBe(`''\\''; reboot #'`);
    expect(shellWord('')).toBe("''");
  });

  it('keep ordinary letters of any language', () => {
    expect(printable('Ångström 値引き')).toBe('Ångström 値引き');
  });
});

describe('progress', () => {
  it('shows rate and time left', () => {
    expect(progressLine({ doing: 'Replaying:', total: 100 }, 25, 5_000)).toBe(
      'Replaying: 25 of 100 · 5.0/s · 15 s left',
    );
    expect(progressLine({ doing: 'Reading:', total: undefined }, 300, 2_000, 'of about 900')).toBe(
      'Reading: 300 · 150/s · of about 900',
    );
  });

  it('does not say that nothing is left while something is', () => {
    const replaying = { doing: 'Replaying:', total: 100 };
    expect(progressLine(replaying, 99, 30_000)).toBe('Replaying: 99 of 100 · 3.3/s');
    expect(progressLine(replaying, 90, 90_000, '', 7_500)).toContain('2 s left');
    expect(progressLine(replaying, 90, 90_000, '', 60_000)).not.toContain('left');
  });

  it('is silent for two seconds, then writes a line now and then, and none with --json', () => {
    const lines: string[] = [];
    let now = 0;
    const stream = { isTTY: false, write: (text: string) => lines.push(text) };
    const settings = { doing: 'x', total: 10, stream: stream as never, now: () => now };
    for (const quiet of [false, true]) {
      const progress = createProgress({ ...settings, quiet });
      const start = now;
      for (let step = 0; step < 100; step += 1) {
        now = start + step * 100;
        progress.report(step);
      }
      progress.end();
    }
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^x 20 of 20/);
  });
});

it('says nothing twice in a pipe', () => {
  const lines: string[] = [];
  let now = 0;
  const stream = { isTTY: false, write: (text: string) => lines.push(text) };
  const settings = { doing: 'Retried:', total: 3, stream: stream as never, now: () => now };
  const progress = createProgress({ ...settings, quiet: false });
  for (; now < 60_000; now += 500) progress.report(now < 30_000 ? 1 : 2, 'Retrying 3 messages');
  expect(lines.map((one) => one.slice(0, 15))).toEqual(['Retried: 1 of 3', 'Retried: 2 of 3']);
});

it('leaves the screen to whatever is written next, and comes back with what is new', () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stderr, 'write');
  write.mockImplementation((text) => written.push(String(text)) > 0);
  const { isTTY, columns } = process.stderr;
  Object.assign(process.stderr, { isTTY: true, columns: 80 });
  vi.useFakeTimers({ now: 0 });
  try {
    const terminal = createTerminal({ quiet: false });
    const progress = terminal.progress('Reading:');
    vi.setSystemTime(3_000);
    progress.report(1);
    terminal.note('a note');
    terminal.note('another');
    progress.report(2);
    terminal.note('the last');
    const shown = written.map((text) => text.replace(/^\r(Reading: \d).*$/s, '$1'));
    const gone = '\r\u001b[K';
    const notes = [gone, 'a note\n', 'another\n'];
    expect(shown).toEqual(['Reading: 1', ...notes, 'Reading: 2', gone, 'the last\n']);
  } finally {
    vi.useRealTimers();
    write.mockRestore();
    Object.assign(process.stderr, { isTTY, columns });
  }
});

const iso = (text: string) => new Date(parseMoment(text)).toISOString();

describe('a moment on the command line', () => {
  beforeAll(() => void vi.useFakeTimers({ now: new Date('2026-10-09T12:00:00Z') }));
  afterAll(() => void vi.useRealTimers());

  it('is a span that ends now', () => {
    expect(iso('90m')).toBe('2026-10-09T10:30:00.000Z');
    expect(iso('2h')).toBe('2026-10-09T10:00:00.000Z');
    expect(iso('3d')).toBe('2026-10-06T12:00:00.000Z');
    expect(iso('1w')).toBe('2026-10-02T12:00:00.000Z');
  });

  it('is a date, in UTC wherever the operator sits, unless it says otherwise', () => {
    expect(iso('2026-10-05')).toBe('2026-10-05T00:00:00.000Z');
    expect(iso('2026-10-05T08:30')).toBe('2026-10-05T08:30:00.000Z');
    expect(iso('2026-10-05T08:30:00+02:00')).toBe('2026-10-05T06:30:00.000Z');
  });

  it.each(['', 'yesterday', '2', 'h', '-2h', '2h30m', '5/10/2026'])(
    'is never guessed: %j',
    (text) => expect(() => parseMoment(text)).toThrow('Give a duration such as'),
  );

  it.each(['2026-13-01', '2026-02-30', '2026-02-30T23:30-01:00'])('exists: not %s', (text) => {
    expect(() => parseMoment(text)).toThrow('There is no such date.');
  });
});

describe('a whole number on the command line', () => {
  it('keeps within its bounds', () => {
    const parse = wholeNumber(1, 10);
    expect(parse('10')).toBe(10);
    for (const text of ['0', '11', '1.5', '1e1', ' 5', '-1', '']) {
      expect(() => parse(text), text).toThrow('from 1 to 10');
    }
  });
});
