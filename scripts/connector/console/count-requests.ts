import type { SQSExtensionConfiguration } from '@aws-sdk/client-sqs';
import type { AwsSettings } from '../deployment/deployment.ts';
import { type PricedRequest, priceOf } from './request-price.ts';

export interface RequestCount {
  readonly requests: number;
  /** US dollars: see `priceOf`. */
  readonly dollars: number;
  /** How many of each: `sqs GetQueueAttributes`. */
  readonly byOperation: Readonly<Record<string, number>>;
}

export interface CountedAws {
  /** Settings for clients whose requests are counted. May be counted again: a run within a session. */
  readonly aws: AwsSettings;
  counted(): RequestCount;
}

type Configuration = Pick<SQSExtensionConfiguration, 'httpHandler' | 'setHttpHandler'>;
type Handler = ReturnType<Configuration['httpHandler']>;
type Request = Parameters<Handler['handle']>[0];

/**
 * Counts what all clients with these settings send, repeated attempts too, because AWS bills them. All use the
 * connections of the first client, which stay open from one command to the next.
 */
export function countRequests(aws: AwsSettings): CountedAws {
  const byOperation: Record<string, number> = {};
  let requests = 0;
  let dollars = 0;
  let shared: Handler | undefined;
  const count = (sent: PricedRequest) => {
    const name = `${sent.service} ${sent.operation}`;
    byOperation[name] = (byOperation[name] ?? 0) + 1;
    requests += 1;
    dollars += priceOf(sent);
  };
  const extension = {
    configure(configuration: Configuration) {
      shared ??= watch(configuration.httpHandler(), count);
      configuration.setHttpHandler(shared);
    },
  };
  return {
    aws: { ...aws, extensions: [...(aws.extensions ?? []), extension] },
    counted: () => ({ requests, dollars, byOperation: { ...byOperation } }),
  };
}

function watch(own: Handler, count: (sent: PricedRequest) => void): Handler {
  return {
    ...(own.metadata && { metadata: own.metadata }),
    updateHttpClientConfig: (key, value) => own.updateHttpClientConfig(key, value),
    httpHandlerConfigs: () => own.httpHandlerConfigs(),
    async handle(request, options) {
      const asked = describe(request);
      try {
        const answer = await own.handle(request, options);
        count({ ...asked, answerBytes: Number(answer.response.headers['content-length'] ?? 0) });
        return answer;
      } catch (error) {
        count({ ...asked, answerBytes: 0 });
        throw error;
      }
    },
  };
}

/** The signature names the service, on this machine too, where all have one address. */
function describe({ headers, body, method, path }: Request): Omit<PricedRequest, 'answerBytes'> {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body ?? '');
  const [, service = 'aws'] =
    /Credential=[^,]*\/([^/,]+)\/aws4_request/.exec(headers.authorization ?? '') ?? [];
  const target = headers['x-amz-target'];
  const operation =
    target?.slice(target.lastIndexOf('.') + 1) ??
    new URLSearchParams(text).get('Action') ??
    `${method} ${path}`;
  return { service, operation, body: text };
}
