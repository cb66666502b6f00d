import type { Catalog } from '../catalog.ts';
import type { SandboxSettings } from '../settings.ts';
import type { ProgramTables } from './rows.ts';

/** What every rule may look at. */
export interface Context {
  readonly tables: ProgramTables;
  readonly settings: SandboxSettings;
  readonly catalog: Catalog;
  now(): Date;
  /** From 0 up to, not including, 1. */
  random(): number;
}

/** Changes a table: only for calls that will not be refused any more. */
export function takeNumber({ tables }: Context, sequence: string): number {
  const number = (tables.sequences.get(sequence) ?? 0) + 1;
  tables.sequences.put(sequence, number);
  return number;
}

const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** Letters and digits that cannot be mistaken for each other on paper. */
export function randomText({ random }: Context, length: number): string {
  return Array.from({ length }, () => letters[Math.floor(random() * letters.length)] ?? 'X').join(
    '',
  );
}

/** Money as a person reads it, with the currency of the program. How the service writes it is not shown. */
export function formatMoney({ settings: { currency } }: Context, amount: number): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
}

export function daysLater(date: Date, days: number): string {
  return new Date(date.getTime() + days * 86_400_000).toISOString();
}
