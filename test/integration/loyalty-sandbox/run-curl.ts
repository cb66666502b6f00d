import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { type Received, send } from './server-requests.ts';

/** The shell takes the command apart; the request is made here, because not every machine has curl. */
export function runCurl(command: string): Promise<Received> {
  const print = `'${process.execPath}' -p 'JSON.stringify(process.argv.slice(1))' --`;
  const split = execFileSync('sh', ['-c', command.replace('curl', print)], { encoding: 'utf8' });
  const { values, positionals } = parseArgs({
    args: JSON.parse(split),
    options: {
      user: { type: 'string', short: 'u' },
      header: { type: 'string', short: 'H', multiple: true },
      data: { type: 'string', short: 'd' },
      request: { type: 'string', short: 'X' },
    },
    allowPositionals: true,
  });
  const { origin, pathname, search } = new URL(positionals[0] ?? '');
  const method = values.request ?? (values.data === undefined ? 'GET' : 'POST');
  return send(origin, method, pathname + search, {
    headers: {
      ...(values.user !== undefined && {
        authorization: `Basic ${Buffer.from(values.user).toString('base64')}`,
      }),
      ...Object.fromEntries((values.header ?? []).map((header) => header.split(': '))),
    },
    body: values.data,
  });
}
