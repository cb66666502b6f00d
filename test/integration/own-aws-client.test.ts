import dns from 'node:dns';
import { createServer, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Emulator, listen } from '../../local/stack/emulators.ts';
import { createSecretsCalls, settingsFromEnvironment } from '../../shared/aws/aws-client.ts';
import { ownSettings } from '../support/both-clients.ts';
import { type ScriptedAnswer, startScriptedService } from '../support/scripted-service.ts';

const budget = { connectMs: 10_000, attemptMs: 10_000, attempts: 3 };
const started: Emulator[] = [];
afterEach(async () => {
  for (const emulator of started.splice(0)) await emulator.stop();
});

/** Asks once for a secret whose requests are answered so, one after the other. */
async function ask(...answers: readonly ScriptedAnswer[]) {
  const service = await startScriptedService(
    (_, __, count) => answers[count - 1] ?? { body: { SecretString: 'found' } },
  );
  started.push(service);
  const pauses: number[] = [];
  const secrets = createSecretsCalls({
    ...ownSettings(budget, service.endpoint),
    pause: async (milliseconds) => pauses.push(milliseconds),
    random: () => 0.5,
  });
  const result = await secrets.getSecretValue({ SecretId: 'shop' }).then(
    ({ SecretString }) => SecretString,
    (error: unknown) => error,
  );
  return { result, pauses, requests: service.requests.length };
}

const refused = (type: string, status = 400) => ({
  status,
  body: { __type: `com.amazonaws.secretsmanager#${type}`, message: 'about Maria Silva' },
});

describe("the functions' own client", () => {
  it.each<[string, ScriptedAnswer, number[]]>([
    ['breaks off', 'drop', [50, 100]],
    ['has a fault of its own', { status: 503, body: {} }, [50, 100]],
    ['asks for fewer calls', refused('ThrottlingException'), [250, 500]],
    ['asks for fewer calls by status', refused('Whatever', 429), [250, 500]],
  ])('asks again, after longer pauses, when AWS %s', async (_, answer, pauses) => {
    expect(await ask(answer, answer)).toEqual({ result: 'found', pauses, requests: 3 });
  });

  it.each([
    'LimitExceededException',
    'ProvisionedThroughputExceededException',
    'RequestLimitExceeded',
    'RequestThrottled',
    'Throttling',
  ])('knows %s for what the other services say when they ask for fewer calls', async (code) => {
    expect(await ask(refused(code))).toEqual({ result: 'found', pauses: [250], requests: 2 });
  });

  it.each(['ResourceNotFoundException', 'AccessDeniedException', 'ValidationException'])(
    'does not ask again after %s, and tells the code but not the text',
    async (code) => {
      const { result, requests } = await ask(refused(code));
      expect(result).toMatchObject({
        name: code,
        message: `AWS answered 400 ${code}`,
        $metadata: { httpStatusCode: 400, attempts: 1 },
      });
      expect(requests).toBe(1);
    },
  );

  it('reports the last error when all attempts failed, and how many there were', async () => {
    const down = { status: 500, body: { __type: 'InternalServiceError' } };
    const { result, requests } = await ask(down, down, down);
    expect(result).toMatchObject({ name: 'InternalServiceError', $metadata: { attempts: 3 } });
    expect(requests).toBe(3);
  });

  it('never quotes an answer that it cannot read', async () => {
    const server = createServer((_, response) => response.end('{"SecretString": "hunter2'));
    const emulator = await listen(server);
    started.push(emulator);
    const secrets = createSecretsCalls(ownSettings(budget, emulator.endpoint));
    const error = await secrets.getSecretValue({ SecretId: 'shop' }).catch((fault) => fault);
    expect(String(error.stack)).not.toContain('hunter2');
    expect(error.message).toBe('AWS answered something that is not JSON');
  });

  it('asks again when an answer breaks off within its body, whose head was that of a good one', async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests += 1;
      if (requests > 1) return void response.end('{"SecretString":"found"}');
      response.writeHead(200, { 'content-length': 1_000 });
      response.write('{"SecretString":', () => request.socket.destroy());
    });
    const emulator = await listen(server);
    started.push(emulator);
    const secrets = createSecretsCalls(ownSettings(budget, emulator.endpoint));
    expect((await secrets.getSecretValue({ SecretId: 'shop' })).SecretString).toBe('found');
    expect(requests).toBe(2);
  });

  it('loses one attempt, not all, when every kept connection was closed behind its back', async () => {
    const ports: (number | undefined)[] = [];
    const held: ServerResponse[] = [];
    let frozen = false;
    const server = createServer((request, response) => {
      ports.push(request.socket.remotePort);
      const isKept = ports.filter((port) => port === request.socket.remotePort).length > 1;
      if (frozen && isKept) return void request.socket.destroy();
      held.push(response);
      // Each of the three needs a connection of its own while none is answered.
      if (!frozen && held.length < 3) return;
      for (const one of held.splice(0)) one.end('{"SecretString":"found"}');
    });
    const emulator = await listen(server);
    started.push(emulator);
    const secrets = createSecretsCalls({
      ...ownSettings({ ...budget, attempts: 2 }, emulator.endpoint),
      pause: async () => {},
    });
    const get = () => secrets.getSecretValue({ SecretId: 'shop' });
    await Promise.all([get(), get(), get()]);
    expect(new Set(ports).size).toBe(3);
    frozen = true;
    expect((await get()).SecretString).toBe('found');
    expect(ports).toHaveLength(5);
  });

  it('loses no attempt to a connection that was idle while the function was frozen', async () => {
    const used = new Set<object>();
    let resets = 0;
    const server = createServer((request, response) => {
      if (!used.has(request.socket)) {
        used.add(request.socket);
        return void response.end('{"SecretString":"found"}');
      }
      resets += 1;
      request.socket.resetAndDestroy();
    });
    const emulator = await listen(server);
    started.push(emulator);
    const secrets = createSecretsCalls(ownSettings({ ...budget, attempts: 1 }, emulator.endpoint));
    await secrets.getSecretValue({ SecretId: 'shop' });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    const { SecretString } = await secrets.getSecretValue({ SecretId: 'shop' });
    vi.useRealTimers();
    expect({ SecretString, resets }).toEqual({ SecretString: 'found', resets: 0 });
  });

  it('gives up a connection that does not come about before the time of the attempt is over', async () => {
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation(() => ({}) as never);
    const secrets = createSecretsCalls({
      ...ownSettings({ connectMs: 20, attemptMs: 600_000, attempts: 2 }, 'http://aws.example'),
      pause: async () => {},
    });
    const asked = secrets.getSecretValue({ SecretId: 'shop' });
    await expect(asked).rejects.toMatchObject({
      name: 'AwsUnanswered',
      message: 'AWS did not answer: time-out while connecting',
    });
    expect(lookup).toHaveBeenCalledTimes(2);
    lookup.mockRestore();
  });

  it('names the environment variable that is missing', async () => {
    expect(() => settingsFromEnvironment(budget, {})).toThrow('AWS_REGION');
    const settings = settingsFromEnvironment(budget, { AWS_REGION: 'us-east-1' });
    await expect(createSecretsCalls(settings).getSecretValue({ SecretId: 'x' })).rejects.toThrow(
      'The AWS credentials are missing',
    );
  });
});
