import { about } from '../../about.ts';
import type { Ran } from '../../run.ts';
import { dollarsText, durationText, words } from '../../words.ts';
import { strings } from './strings.ts';

/** What it costs to leave this page open: what the newest answer cost, as often as it is asked for. */
export function OpenPageCost({
  everySeconds,
  ran,
}: {
  readonly everySeconds: number;
  readonly ran: Ran<unknown> | undefined;
}) {
  const { refreshed, costs, free } = words(strings);
  const perHour = ((ran?.counted?.dollars ?? 0) * 3_600) / everySeconds;
  return (
    <p class="soft">
      {refreshed(durationText(everySeconds * 1000, 'long'))}{' '}
      {about.where === 'local'
        ? free
        : perHour > 0 && costs(dollarsText(perHour), dollarsText(perHour * 24))}
    </p>
  );
}
