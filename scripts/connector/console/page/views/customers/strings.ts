import type { BalanceRow } from '../../../../redemptions/read-account.ts';

export const strings = {
  balance: 'Balance',
  sides: {
    store: 'Store',
    ledger: 'Connector',
    service: 'Loyalty service',
  },
  fields: {
    points: 'Points',
    cashback: 'Cashback',
    tier: 'Tier',
    expiring: 'Expire next',
  } satisfies Readonly<Record<BalanceRow['field'], string>>,
  unfinished: 'Redemptions that are not finished',
  /** By the word of the command. */
  states: {
    running: 'running',
    pending: 'not known yet',
    making: 'code is being made',
    cancelling: 'is given back',
    cancelled: 'given back',
    refused: 'refused',
    ready: 'ready',
    used: 'used',
  } as Readonly<Record<string, string>>,
  closeAs: {
    refused: 'Close: no points were taken…',
    cancelled: 'Close: the points were given back…',
  },
};
