import {
  type Check,
  either,
  matching,
  oneOf,
  shapeOf,
  trueOrFalse,
  wholeNumber,
} from './checks.ts';
import type { DeploymentSettings } from './deployment-settings.ts';

const workers = wholeNumber(2, 1000, 'workers');

const kinds = oneOf('function-url', 'http-api');

const httpApi = shapeOf({
  required: { kind: kinds },
  optional: {
    throttle: shapeOf({
      required: {
        ratePerSecond: wholeNumber(1, 10_000, 'requests per second'),
        burst: wholeNumber(1, 5_000, 'requests'),
      },
    }),
    domain: shapeOf({
      required: {
        name: matching(
          /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/,
          'be a domain name in lower case, without https://',
        ),
        certificateArn: matching(
          /^arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate\/\S+$/,
          'be the ARN of a certificate, arn:aws:acm:…',
        ),
      },
    }),
  },
});

const isHttpApi = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'http-api';

const deploymentChecks: Record<keyof DeploymentSettings, Check> = {
  endpoint: either(isHttpApi, httpApi, shapeOf({ required: { kind: kinds } })),
  maxConcurrency: shapeOf({ optional: { orders: workers, products: workers, coupons: workers } }),
  reservedReceiverConcurrency: wholeNumber(1, 10_000, 'receivers'),
  logRetentionDays: oneOf(1, 3, 5, 7, 14, 30, 60, 90, 180, 365),
  retainData: trueOrFalse,
  monitoring: oneOf('full', 'basic'),
  dashboard: trueOrFalse,
  // The name of an alias can be moved to another key, and policies do not accept it.
  encryptionKey: matching(
    /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/,
    'be the ARN of a key, arn:aws:kms:…:key/…, not of an alias',
  ),
};

export const deploymentCheck: Check = shapeOf({ optional: deploymentChecks });
