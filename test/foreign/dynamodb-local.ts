import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { forwardRequest } from '../support/forward-request.ts';

export * from '../../local/stack/emulators.ts';

/** An empty DynamoDB Local: the engine keeps one database for each access key. */
export function startDynamoDb(): Promise<Emulator> {
  const accessKeyId = randomBytes(8).toString('hex');
  const server = createServer((request, response) => {
    const signed = String(request.headers.authorization ?? '');
    const authorization = signed.replace(/Credential=[^/]+/, `Credential=${accessKeyId}`);
    forwardRequest(request, response, process.env.DYNAMODB_LOCAL ?? '', { authorization });
  });
  return listen(server);
}
