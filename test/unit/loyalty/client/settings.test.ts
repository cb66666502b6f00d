import { describe, expect, it } from 'vitest';
import { createLoyaltyClient } from '../../../../shared/loyalty/client.ts';

const credentials = { token: 'token-of-example', key: 'key-of-example' };
const baseUrl = 'http://localhost:1';

describe('the settings of the client', () => {
  it.each([
    'http://loyalty.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://10.0.0.1',
    'ftp://localhost',
    'loyalty.example.com',
    'https://user:secret-word@loyalty.example.com',
    'https://loyalty.example.com/?key=secret-word',
    'https://loyalty.example.com/#secret-word',
  ])('throws on the base address %s and does not quote it', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).toThrow(/^Loyalty base address/);
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow(/secret|example/);
  });

  it.each([
    'http://localhost:1',
    'http://127.0.0.1:1',
    'http://127.8.9.1:1',
    'http://[::1]:1/x/',
    'https://loyalty.example.com/tenant',
  ])('takes the base address %s', (baseUrl) => {
    expect(() => createLoyaltyClient({ baseUrl, credentials })).not.toThrow();
  });

  it.each([
    { token: 'left:right', key: 'secret-word' },
    { token: '', key: 'secret-word' },
    { token: 'secret-word', key: '' },
  ])('throws on unusable credentials and does not quote them', (unusable) => {
    const create = () => createLoyaltyClient({ baseUrl, credentials: unusable });
    expect(create).toThrow(/^Loyalty API (token|key)/);
    expect(create).not.toThrow(/left|right|secret/);
  });

  it.each([0, -1, Number.NaN, 2 ** 31])('throws on a time-out of %d ms', async (timeoutMs) => {
    const create = () => createLoyaltyClient({ baseUrl, credentials, timeoutMs });
    expect(create).toThrow(RangeError);
    const client = createLoyaltyClient({ baseUrl, credentials });
    await expect(client.getCustomer('1', { timeoutMs })).rejects.toThrow(RangeError);
  });
});
