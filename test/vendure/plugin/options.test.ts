import { describe, expect, it } from 'vitest';
import { checkOptions } from '../../../vendure-plugin/src/plugin.ts';

const address = 'https://connector.example.com/webhooks/shop';
const secret = '0123456789abcdef0123456789abcdef';

describe('the options of the plugin', () => {
  it('are accepted with a slash at the end of the address', () => {
    expect(checkOptions({ address: `${address}/`, secret })).toEqual({ address, secret });
  });

  it.each([
    [undefined, /address must.*; secret must/],
    [{ address: undefined, secret: undefined }, /address must.*; secret must/],
    [{ address: 'https://connector.example.com', secret }, /: address must[^;]*$/],
    [{ address: 'connector.example.com/webhooks/shop', secret }, /: address must[^;]*$/],
    [{ address, secret: secret.slice(1) }, /: secret must[^;]*$/],
    [{ address, secret: `${secret}\n` }, /: secret must[^;]*$/],
    [{ address, secret, channel: '' }, /: channel must[^;]*$/],
  ])('%j are refused with all their faults, at the start of the server', (options, faults) => {
    expect(() => checkOptions(options)).toThrow(faults);
  });
});
