import {
  type LedgerEntry,
  type LedgerWrite,
  OUTCOMES_KEPT,
  type PastOutcome,
} from '../ledger/ledger.ts';
import { redactionOf } from '../ledger/redacted-person.ts';
import type { BalanceEvent } from './balance-event.ts';
import { balanceKey, type RememberedBalance, rememberBalance } from './remembered-balance.ts';

/** What the next entry of a customer is made from. */
export interface BalanceStep {
  readonly event: BalanceEvent;
  readonly entry: LedgerEntry | undefined;
  readonly version: number;
  readonly balance: RememberedBalance;
  readonly now: Date;
}

/**
 * Before a write that replaces what the customer has: it holds what is about to be written, so that
 * whoever finds the mark can finish the work.
 */
export function markedBalance({ entry, version, balance }: BalanceStep): LedgerWrite {
  return { ...kept(entry), version, uncertain: true, remembered: rememberBalance(balance) };
}

export function writtenBalance(step: BalanceStep): LedgerWrite {
  return {
    ...settled(step),
    appliedKey: balanceKey(step.balance),
    outcomes: history(step, 'applied'),
  };
}

export function unchangedBalance(step: BalanceStep): LedgerWrite {
  return { ...kept(step.entry), ...settled(step), outcomes: history(step, 'unchanged') };
}

/** Expires: a customer whom the store does not know may never be heard of again. */
export function skippedBalance(step: BalanceStep, retentionDays: number): LedgerWrite {
  return {
    version: step.version,
    uncertain: false,
    ...redactionOf(step.entry),
    expiresAt: Math.floor(step.now.getTime() / 1000) + retentionDays * 86_400,
    outcomes: history(step, 'skipped', 'unknown-customer'),
  };
}

function settled({ entry, version, balance }: BalanceStep) {
  const remembered = rememberBalance(balance);
  return { version, uncertain: false, remembered, ...redactionOf(entry) };
}

function kept(entry: LedgerEntry | undefined): Omit<LedgerWrite, 'version' | 'uncertain'> {
  if (!entry) return { outcomes: [] };
  const { revision: _, expiresAt: __, ...rest } = entry;
  return rest;
}

function history(
  { entry, event, version, now }: BalanceStep,
  outcome: string,
  why?: string,
): readonly PastOutcome[] {
  const line = { at: now.toISOString(), outcome, version, topic: event.topic };
  return [...(entry?.outcomes ?? []), { ...line, ...(why !== undefined && { why }) }].slice(
    -OUTCOMES_KEPT,
  );
}
