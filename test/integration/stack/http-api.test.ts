import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startWebServer } from '../../../local/stack/functions/web-server.ts';
import { AccessControl } from '../../../local/stack/iam/access-control.ts';
import { isFunction } from '../../../local/stack/template/describe-resources.ts';
import { describeStack } from '../../../local/stack/template/describe-stack.ts';
import type { Template } from '../../../local/stack/template/template.ts';
import { synthesizeStack } from '../../support/synthesized-stack.ts';

const template = synthesizeStack({ deployment: { endpoint: { kind: 'http-api' } } });
const description = describeStack(template.toJSON() as Template, {
  region: 'us-east-1',
  account: '000000000000',
  stackName: 'loyalty-connector-prod',
  endpoint: 'http://127.0.0.1:1',
  webAddress: 'http://127.0.0.1:2/',
});
const access = new AccessControl(description);
const events: unknown[] = [];
let server: Awaited<ReturnType<typeof startWebServer>>;

beforeAll(async () => {
  const { webs, functions } = description;
  const web = webs.WebhookAddress;
  const target = functions.find((one) => web && isFunction(one, web.target));
  if (!web || !target) throw new Error('the template has no address for requests from outside');
  server = await startWebServer(
    () => ({
      web,
      target,
      access: () => access,
      invoke: async (event) => {
        events.push(event);
        return { kind: 'returned', json: '{"statusCode":200}' };
      },
    }),
    0,
  );
});
afterAll(() => server?.stop());

const status = async (method: string, path: string): Promise<number> =>
  (await fetch(server.address + path, { method })).status;

describe('a stage with an HTTP API', () => {
  it('passes a request of its route to the receiver', async () => {
    expect(await status('POST', '/example-store?a=b')).toBe(200);
    expect(events.at(-1)).toMatchObject({ routeKey: 'POST /{shop}', rawPath: '/example-store' });
  });

  it('joins headers of one name, as AWS does: two Authorization headers are no valid one', async () => {
    await new Promise((resolve) => {
      const headers = ['Host', new URL(server.address).host, 'Content-Length', '0'];
      const twice = ['Authorization', 'Bearer a.b.c', 'authorization', 'Bearer d.e.f'];
      const options = { method: 'POST', headers: [...headers, ...twice] };
      request(`${server.address}/example-store`, options, (answer) => {
        answer.resume().once('end', resolve);
      }).end();
    });
    expect(events.at(-1)).toMatchObject({
      headers: { authorization: 'Bearer a.b.c,Bearer d.e.f' },
    });
  });

  it.each([
    ['GET', '/example-store'],
    ['POST', '/'],
    ['POST', '/example-store/more'],
    ['POST', '/example-store/'],
  ])('answers 404 to %s %s', async (method, path) => {
    const before = events.length;
    expect(await status(method, path)).toBe(404);
    expect(events).toHaveLength(before);
  });

  it('refuses requests without the permission of that API', async () => {
    access.revoke(({ who }) => who === 'apigateway.amazonaws.com');
    expect(await status('POST', '/example-store')).toBe(403);
    access.restore();
    expect(await status('POST', '/example-store')).toBe(200);
  });
});
