import type { Command } from 'commander';
import { registerBackfill } from './backfill/command.ts';
import { registerDeadLetters } from './dead-letters/command.ts';
import { registerDoctor } from './doctor/command.ts';
import { registerRedemptions } from './redemptions/command.ts';
import { registerSecrets } from './secrets/command.ts';
import { registerSend } from './send/command.ts';
import { registerStatus } from './status/command.ts';
import { registerStorefront } from './storefront/command.ts';
import { registerTrace } from './trace/command.ts';
import { registerWebhooks } from './webhooks/command.ts';

/**
 * Every command, in the order of the help. Registering declares names and options only: what a command
 * needs is imported when it runs, so that --help and a mistyped option are answered at once.
 */
export const registrations: readonly ((program: Command) => void)[] = [
  registerStatus,
  registerTrace,
  registerDeadLetters,
  registerDoctor,
  registerSend,
  registerSecrets,
  registerStorefront,
  registerRedemptions,
  registerWebhooks,
  registerBackfill,
];
