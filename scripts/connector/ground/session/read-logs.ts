import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { createLogsCalls } from '../../../../shared/aws/aws-client.ts';
import { Problem } from '../terminal/exit.ts';
import type { Deployment } from './deployment.ts';

/** Patient: CloudWatch answers a few calls a second, and a page may take some. */
const BUDGET = { connectMs: 3_000, attemptMs: 30_000, attempts: 8 };

/** The lines that the functions wrote in that time, from CloudWatch or the stack of this machine; in no order. */
export async function* readLogs(
  { aws, output }: Pick<Deployment, 'aws' | 'output'>,
  { since, until }: { readonly since: number; readonly until: number },
): AsyncGenerator<string> {
  // Any client of the SDK finds the credentials of the environment or the profile.
  const readCredentials = new DynamoDB(aws).config.credentials;
  let credentials = await readCredentials();
  const { filterLogEvents } = createLogsCalls({
    ...{ budget: BUDGET, region: aws.region, credentials: () => credentials },
    endpointOf: ({ id }) =>
      aws.endpoint ?? process.env[`AWS_ENDPOINT_URL_${id}`] ?? process.env.AWS_ENDPOINT_URL,
  });
  const span = { startTime: since, endTime: until };
  for (const logGroupName of output('LogGroups').split(',')) {
    let nextToken: string | undefined;
    do {
      const page = await filterLogEvents({ logGroupName, ...span, nextToken });
      for (const { message = '' } of page.events ?? []) yield message;
      nextToken = page.nextToken;
      // Those of a session may end while a long day is read.
      credentials = await readCredentials();
    } while (nextToken !== undefined);
  }
}

/** The lines of an exported file, or of all in a folder; `.gz` is unpacked. */
export async function* readExportedLogs(path: string): AsyncGenerator<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new Problem(`There is no file or folder ${path}.`);
  const files = found.isDirectory()
    ? (await readdir(path, { recursive: true, withFileTypes: true }))
        .filter((one) => one.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [path];
  for (const file of files) {
    const stream = createReadStream(file);
    const input = file.endsWith('.gz') ? stream.pipe(createGunzip()) : stream;
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  }
}
