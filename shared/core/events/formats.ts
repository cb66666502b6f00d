/**
 * The forms that this release writes, and the newest that it reads. A release that writes a form which the one
 * before would misread or lose raises the number: the one before then waits instead of guessing, because functions
 * are updated side by side. From the first release on, every form that was ever written is read.
 *
 * Every envelope keeps `v` and `receivedAt`; every item of the ledger keeps its key, `f`, revision, write id
 * and uncertain mark.
 * See docs/decisions/0006-messages-and-items-carry-a-version-and-newer-ones-wait.md.
 */
export const ENVELOPE_VERSION = 1;
export const LEDGER_FORMAT = 2;
