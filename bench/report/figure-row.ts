import type { Bar, Figure } from '../bench.ts';

export const COLUMNS = [
  'figure',
  'this connector',
  'peer',
  'floor',
  'ratio',
  'spread',
  'bar',
  'met',
] as const;

/** A figure as a row of the table. */
export function figureRow(figure: Figure): readonly string[] {
  const { key, value, unit, peer, floor, ratio, peerRatio, spread, bar } = figure;
  const peerText = peer === undefined ? '' : short(peer);
  return [
    key,
    `${short(value)} ${unit}`,
    peerRatio ? `${peerText} (${short(peerRatio.median)} ×)` : peerText,
    floor === undefined ? '' : short(floor),
    ratio ? `${short(ratio.median)} ×` : '',
    spreadText(ratio ?? spread),
    bar ? barText(bar) : '',
    bar ? (isMet(figure, bar) ? 'yes' : 'NO') : '',
  ];
}

export function isMet({ value, ratio }: Pick<Figure, 'value' | 'ratio'>, bar: Bar): boolean {
  const held = bar.of === 'ratio' ? ratio?.median : value;
  if (held === undefined) throw new Error('a bar on a ratio that was not measured');
  switch (bar.kind) {
    case 'at-most':
      return held <= bar.limit;
    case 'at-least':
      return held >= bar.limit;
    case 'exactly':
      return Math.abs(held - bar.limit) < 1e-9;
  }
}

const SIGNS = { 'at-most': '≤', 'at-least': '≥', exactly: '=' } as const;

function barText({ kind, limit, of }: Bar): string {
  return `${SIGNS[kind]} ${plain(limit)}${of === 'ratio' ? ' ×' : ''}`;
}

function spreadText(spread: { readonly low: number; readonly high: number } | undefined): string {
  return spread ? `${short(spread.low)} to ${short(spread.high)}` : '';
}

/** Three digits: more would claim more than was measured. */
function short(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return plain(Math.round(value));
  return value.toPrecision(3);
}

function plain(value: number): string {
  return value.toLocaleString('en-US').replaceAll(',', ' ');
}
