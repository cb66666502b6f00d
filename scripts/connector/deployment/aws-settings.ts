import type { AwsSettings } from './deployment.ts';

/**
 * A person waits, so an endpoint that hangs is told of within half a minute; and throttling at 3 a.m. is
 * worth a few attempts more than a function would make.
 */
export const PATIENCE = {
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    // Without it the SDK only warns.
    throwOnRequestTimeout: true,
    socketTimeout: 10_000,
  },
} as const;

export function awsSettings(place: Omit<AwsSettings, keyof typeof PATIENCE>): AwsSettings {
  return { ...place, ...PATIENCE };
}
