import { createHash, createHmac } from 'node:crypto';
import type { Agent, IncomingMessage, request as send } from 'node:http';
import https from 'node:https';

interface Post {
  readonly agent: Agent;
  readonly url: URL;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One POST; rejects for any status but 200. */
export function post(
  http: { readonly request: typeof send },
  { agent, url, path, headers, body }: Post,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const receive = (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          if (response.statusCode === 200) resolve(Buffer.concat(chunks).toString());
          else reject(new Error(`answered with ${response.statusCode}`));
        })
        .on('error', reject);
    };
    const request = http.request(
      {
        agent,
        host: url.hostname,
        port: url.port,
        path,
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
        timeout: 5_000,
      },
      receive,
    );
    request
      .on('timeout', () => request.destroy(new Error('no answer in time')))
      .on('error', reject)
      .end(body);
  });
}

type Service = 'sqs' | 'dynamodb' | 'secretsmanager';
export type AwsCall = (target: string, input: unknown) => Promise<Record<string, unknown>>;

const region = process.env.AWS_REGION ?? '';
const keyId = process.env.AWS_ACCESS_KEY_ID ?? '';
const secretKey = process.env.AWS_SECRET_ACCESS_KEY ?? '';
const token = process.env.AWS_SESSION_TOKEN;

/** One AWS service with its JSON protocol and a minimal Signature Version 4. */
export function openAwsService(service: Service, version: '1.0' | '1.1'): AwsCall {
  const url = new URL(
    process.env.AWS_ENDPOINT_URL ?? `https://${service}.${region}.amazonaws.com/`,
  );
  const http = url.protocol === 'https:' ? https : process.getBuiltinModule('node:http');
  const agent = new http.Agent({ keepAlive: true });
  const contentType = `application/x-amz-json-${version}`;
  let day = '';
  let key: Buffer = Buffer.alloc(0);

  return async (target, input) => {
    const body = Buffer.from(JSON.stringify(input));
    const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
    if (!time.startsWith(day) || day === '') {
      day = time.slice(0, 8);
      key = ['aws4_request', service, region, day].reduceRight<Buffer>(
        hmac,
        Buffer.from(`AWS4${secretKey}`),
      );
    }
    const signed: Record<string, string> = {
      'content-type': contentType,
      host: url.host,
      'x-amz-date': time,
      ...(token && { 'x-amz-security-token': token }),
      'x-amz-target': target,
    };
    const names = Object.keys(signed).join(';');
    const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`);
    const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`);
    const answer = await post(http, {
      agent,
      url,
      path: '/',
      body,
      headers: {
        ...signed,
        authorization: `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature.toString('hex')}`,
      },
    });
    return JSON.parse(answer);
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}
