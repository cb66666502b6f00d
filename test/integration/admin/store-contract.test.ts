import { afterEach } from 'vitest';
import { describeStoreContract } from '../../contract/store-contract.ts';
import { createAdminStoreUnderTest } from '../../support/admin-store-under-test.ts';

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

describeStoreContract('the Admin API', () =>
  createAdminStoreUnderTest((close) => open.push(close)),
);
