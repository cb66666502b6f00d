import { expect, it } from 'vitest';
import { BadArguments } from '../../../scripts/connector/exit.ts';
import { type RecoverOptions, recover } from '../../../scripts/connector/recover/recover.ts';
import type { Session } from '../../../scripts/connector/session.ts';

it.each<[string, RecoverOptions]>([
  [
    'to copy for one shop, because a table holds all',
    { from: 'restored', shop: 'one.myshopify.com' },
  ],
  ['to replace items without a table to copy from', { replace: true }],
])('recover refuses %s, before anything is looked at', async (_, options) => {
  await expect(recover({} as Session, options)).rejects.toThrow(BadArguments);
});
