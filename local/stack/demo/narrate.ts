import type { LogLine } from '../functions/log-groups.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Whether it says that an attempt failed and will be repeated. */
export function isFailedAttempt({ text }: Pick<LogLine, 'text'>): boolean {
  return readFields(text)?.message === 'will be tried again';
}

/** A sentence for one line of a function's log; undefined for lines without news. */
export function narrate({ text }: Pick<LogLine, 'text'>): string | undefined {
  const fields = readFields(text);
  if (!fields) return /Task timed out/.test(text) ? text : undefined;
  const { message, service } = fields;
  if ('_aws' in fields || typeof message !== 'string' || typeof service !== 'string') {
    return undefined;
  }
  const what = fields.kind === undefined ? '' : `${fields.kind} ${fields.id}`;
  const line = (happened: string) => `${service.padEnd(16)} ${what.padEnd(24)} ${happened}`;
  switch (message) {
    case 'received':
      return line(`arrived: ${fields.topic}`);
    case 'applied':
      return line(fields.calls === '' ? 'brought to the store' : `sent: ${fields.calls}`);
    case 'unchanged':
      return line('unchanged, nothing to send');
    case 'superseded':
      return line('superseded: a newer state was already sent');
    case 'skipped':
      return line(`skipped: ${fields.why}`);
    case 'handled':
      return line(`handled: ${fields.how}`);
    case 'will be tried again': {
      const what = fields.heldBack ? 'held back' : `try ${fields.tries} failed`;
      return line(`${what} (${fields.why}), again in ${fields.afterSeconds} s`);
    }
    case 'parked in the dead-letter queue':
      return line(`PARKED for a person: ${fields.reason ?? fields.why ?? ''}`);
    default:
      return fields.level === 'info' ? undefined : line(message);
  }
}

function readFields(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}
