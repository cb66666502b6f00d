import { momentText } from '../terminal/text.ts';
import { count, type Findings, type LastHour, type SignOf, type Status } from './status-model.ts';

/** Scanners cause a few of these. */
export const FEW_BAD_SIGNATURES = 5;

/**
 * What the figures of the last hour show. Trouble is over when something was accepted since it was last seen: then it
 * is a note.
 */
export function judgeHour({ at, lastHour, queues, waiting }: Status): Findings {
  if (lastHour.kind === 'unknown') return {};
  const hour = lastHour.value;
  const older = hour['older-secret-used'];
  const rotation = `${count(older, 'request')} came signed with the older secret: do not finish the rotation yet`;
  const found = [judgeRefused(), judgeCrashes(), judgeSignatures()];
  return {
    troubles: found.flatMap(({ troubles = [] }) => troubles),
    notes: [...found.flatMap(({ notes = [] }) => notes), ...(older > 0 ? [rotation] : [])],
  };

  function judgeRefused(): Findings {
    const { misconfigured } = hour;
    // Where messages wait for it, their records say more.
    const isRecorded =
      waiting.kind === 'known' && waiting.value.some((one) => one.waitsFor === 'misconfigured');
    if (misconfigured === 0 || isRecorded) return {};
    const what = `credentials, scopes or an address were refused ${count(misconfigured, 'time')} in the last hour`;
    // Every message that met it stays on its queue: empty queues show that it is solved.
    const isEmpty =
      queues.kind === 'known' && queues.value.every((one) => one.waiting + one.inFlight === 0);
    if (isEmpty)
      return { notes: [`${what}${whenIn('misconfigured')}, and nothing waits any more`] };
    return troubleOrNote('misconfigured', what);
  }

  function judgeCrashes(): Findings {
    if (hour.crash === 0) return {};
    const what = `work stopped at an unexpected error ${count(hour.crash, 'time')} in the last hour: the log of the function has the reason`;
    return troubleOrNote('crash', what);
  }

  function judgeSignatures(): Findings {
    const refused = hour['signatures-refused'];
    return refused > FEW_BAD_SIGNATURES
      ? troubleOrNote('signatures-refused', signaturesText(hour))
      : {};
  }

  function troubleOrNote(sign: SignOf, what: string): Findings {
    const since = hour.signs[sign]?.acceptedSince ?? 0;
    const seen = `${what}${whenIn(sign)}`;
    return since > 0
      ? { notes: [`${seen}; ${since} accepted since`] }
      : { troubles: [{ what: `${seen}; none accepted since`, next: 'doctor' }] };
  }

  function whenIn(sign: SignOf): string {
    const last = hour.signs[sign]?.lastAt;
    return last === undefined
      ? ''
      : `, last at ${momentText(new Date(last).toISOString(), new Date(at))}`;
  }
}

export function signaturesText(hour: Pick<LastHour, 'signatures-refused'>): string {
  return `${hour['signatures-refused']} webhooks were refused for their signature in the last hour: the app signs with another secret, or the sender is not Shopify`;
}
