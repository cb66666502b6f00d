import type { Figure } from '../bench.ts';

const CHARTED = [
  ['receiver.cold', 'receiver, cold'],
  ['receiver.cpu', 'receiver, 8 KiB'],
  ['receiver.cpu.64k', 'receiver, 64 KiB'],
  ['worker.cold', 'worker, cold'],
  ['worker.cpu', 'worker, an order'],
] as const;

const WIDTH = 720;
const LEFT = 150;
const RIGHT = 60;
const TOP = 48;
const ROW = 46;
const BAR = 15;
const WORD = 48;
/** Readable on white and on black alike. */
const INK = '#7d8590';
const CONNECTOR = '#2f9e6e';
const PEER = '#b07a3c';

/** The ratios to the floor as an SVG: this connector, the peer, and the bar that was set. */
export function drawChart(figures: readonly Figure[]): string {
  const rows = CHARTED.flatMap(([key, title]) => {
    const figure = figures.find((one) => one.key === key);
    return figure?.ratio && figure.peerRatio
      ? [{ title, own: figure.ratio, peer: figure.peerRatio, limit: figure.bar?.limit }]
      : [];
  });
  if (rows.length === 0) throw new Error('none of the charted figures was measured');
  const most = Math.ceil(Math.max(...rows.map(({ peer, own }) => Math.max(peer.high, own.high))));
  const x = (ratio: number) => LEFT + (ratio / most) * (WIDTH - LEFT - RIGHT);
  const height = TOP + rows.length * ROW + 34;
  const parts = [
    text(
      LEFT,
      20,
      'CPU and time as multiples of the floor, the least that could work',
      'start',
      600,
    ),
    legend(LEFT, 36),
    ...Array.from({ length: most + 1 }, (_, ratio) => gridLine(x(ratio), ratio, rows.length)),
    ...rows.flatMap(({ title, own, peer, limit }, index) => {
      const y = TOP + index * ROW + 8;
      return [
        text(LEFT - 10, y + 19, title, 'end'),
        bar(x, own, y, CONNECTOR, limit),
        bar(x, peer, y + BAR + 2, PEER),
        ...(limit === undefined ? [] : [limitLine(x(limit), y)]),
      ];
    }),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" role="img">`,
    '<title>This connector and its peer, as multiples of the floor</title>',
    ...parts,
    '</svg>\n',
  ].join('\n');
}

function bar(
  x: (ratio: number) => number,
  { median, low, high }: { readonly median: number; readonly low: number; readonly high: number },
  y: number,
  colour: string,
  limit?: number,
): string {
  const end = Math.max(x(median), x(high));
  const line = limit === undefined ? end : x(limit);
  // A word never stands across the line of the bar.
  const words = line >= end && line < end + WORD ? line : end;
  const middle = y + BAR / 2;
  return [
    `<rect x="${at(x(0))}" y="${y}" width="${at(x(median) - x(0))}" height="${BAR}" fill="${colour}"/>`,
    `<path d="M${at(x(low))} ${middle}H${at(x(high))}" stroke="${INK}" stroke-width="2"/>`,
    text(words + 6, y + 12, `${median.toFixed(2)} ×`),
  ].join('');
}

function limitLine(x: number, y: number): string {
  return `<path d="M${at(x)} ${y - 4}v${2 * BAR + 10}" stroke="${INK}" stroke-width="2" stroke-dasharray="3 2"/>`;
}

function gridLine(x: number, ratio: number, rows: number): string {
  const bottom = TOP + rows * ROW + 8;
  const weight = ratio === 1 ? 1.5 : 0.5;
  return `<path d="M${at(x)} ${TOP}V${bottom}" stroke="${INK}" stroke-width="${weight}" opacity="0.6"/>${text(x, bottom + 16, ratio === 1 ? 'floor' : String(ratio), 'middle')}`;
}

function legend(x: number, y: number): string {
  const box = (left: number, colour: string) =>
    `<rect x="${left}" y="${y - 9}" width="10" height="10" fill="${colour}"/>`;
  return [
    box(x, CONNECTOR),
    text(x + 15, y, 'this connector'),
    box(x + 120, PEER),
    text(x + 135, y, 'the peer'),
    text(x + 210, y, '┆ the bar that was set    — half of the rounds'),
  ].join('');
}

function text(x: number, y: number, words: string, anchor = 'start', weight = 400): string {
  return `<text x="${at(x)}" y="${y}" fill="${INK}" text-anchor="${anchor}" font-weight="${weight}">${words}</text>`;
}

const at = (value: number): string => value.toFixed(1);
