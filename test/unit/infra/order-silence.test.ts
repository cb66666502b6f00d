import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSpans, silenceExpression } from '../../../infra/monitoring/request-alarms.ts';
import type { OrderSilence } from '../../../shared/config/connector-settings.ts';

const NOW = new Date('2026-11-15T00:00:00Z');
const MINUTE_MS = 60_000;

const weekOf = (silence: OrderSilence) => openSpans(silence, NOW);

/** What CloudWatch makes of the expression for a period that begins at this moment. */
function isWatched(expression: string, at: Date): boolean {
  const [, condition] = /^IF\((.*), FILL\(orders, 0\), 1\)$/.exec(expression) ?? [];
  if (condition === undefined) return true;
  const day = (at.getUTCDay() + 6) % 7;
  const minute = 1440 * day + 60 * at.getUTCHours() + at.getUTCMinutes();
  return condition.split(' OR ').some((span) => {
    const [, from, to] = /^\(minute >= (\d+) AND minute <= (\d+)\)$/.exec(span) ?? [];
    return minute >= Number(from) && minute <= Number(to);
  });
}

/** By the shop's own clock and calendar. */
function isOpen({ timeZone, opens, closes, days = 'every-day' }: OrderSilence, at: Date): boolean {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(at);
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const weekend = { 'every-day': '', 'monday-to-saturday': 'Sun', 'monday-to-friday': 'Sat Sun' };
  const hour = Number(part('hour'));
  return hour >= opens && hour < closes && !weekend[days].includes(part('weekday'));
}

describe('the hours in which silence counts', () => {
  const moment = fc
    .integer({ min: 0, max: 360 * 1440 })
    .map((minutes) => new Date(NOW.getTime() + minutes * MINUTE_MS));
  const silence = fc
    .record({
      hours: fc.constant(1),
      opens: fc.integer({ min: 0, max: 20 }),
      closes: fc.integer({ min: 4, max: 24 }),
      days: fc.constantFrom('every-day', 'monday-to-friday', 'monday-to-saturday'),
      timeZone: fc.constantFrom(
        'America/Sao_Paulo',
        'America/New_York',
        'Europe/Lisbon',
        'Asia/Kolkata',
        'Australia/Lord_Howe',
        'Pacific/Auckland',
        'Pacific/Kiritimati',
        'UTC',
      ),
    } as const)
    .filter(({ opens, closes }) => closes - opens >= 4);

  it('are never outside of the opening hours, summer or winter, to the last minute of a period', () => {
    fc.assert(
      fc.property(silence, fc.array(moment, { minLength: 20 }), (settings, moments) => {
        const expression = silenceExpression(weekOf(settings));
        for (const at of moments.filter((one) => isWatched(expression, one))) {
          const last = new Date(at.getTime() + 14 * MINUTE_MS);
          expect([isOpen(settings, at), isOpen(settings, last)]).toEqual([true, true]);
        }
      }),
    );
  });

  it('are all opening hours but the one that the change of clocks takes', () => {
    const settings = { hours: 2, opens: 9, closes: 18, timeZone: 'America/New_York' };
    // 9 to 18 is 13 to 22 UTC in summer and 14 to 23 in winter.
    expect(weekOf(settings)[0]).toEqual({ from: 14 * 60, to: 22 * 60 });
    expect(weekOf(settings)).toHaveLength(7);
    expect(weekOf({ ...settings, timeZone: 'America/Sao_Paulo' })[0]).toEqual({
      from: 12 * 60,
      to: 21 * 60,
    });
    expect(weekOf({ ...settings, timeZone: 'Asia/Kolkata' })[0]).toEqual({
      from: 3.5 * 60,
      to: 12.5 * 60,
    });
  });

  it('go on over midnight and over the end of the week', () => {
    const settings = { hours: 2, opens: 9, closes: 23, timeZone: 'America/Sao_Paulo' };
    const spans = weekOf(settings);
    expect(spans[0]).toEqual({ from: 0, to: 120 });
    expect(spans.at(-1)).toEqual({ from: 6 * 1440 + 720, to: 7 * 1440 });
    const sunday = new Date('2026-11-22T23:59:00Z');
    expect(isWatched(silenceExpression(spans), sunday)).toBe(true);
  });

  it('are those of the shop’s own weekdays', () => {
    const settings = { hours: 1, opens: 6, closes: 10, timeZone: 'Pacific/Auckland' } as const;
    const spans = weekOf({ ...settings, days: 'monday-to-friday' });
    expect(spans).toHaveLength(5);
    // Monday morning in Auckland is Sunday evening in UTC.
    expect(spans.at(-1)?.from).toBeGreaterThan(6 * 1440);
  });

  it('are all, without a condition, where the shop is always open', () => {
    const settings = { hours: 24, opens: 0, closes: 24, timeZone: 'America/New_York' };
    expect(silenceExpression(weekOf(settings))).toBe('FILL(orders, 0) + 0 * minute');
  });

  it('fit into what CloudWatch takes', () => {
    for (const days of ['every-day', 'monday-to-friday', 'monday-to-saturday'] as const) {
      const settings = { hours: 2, opens: 9, closes: 23, days, timeZone: 'America/New_York' };
      expect(silenceExpression(weekOf(settings)).length).toBeLessThan(1_024);
    }
  });
});
