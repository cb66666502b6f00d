/** A deliberate bug, as a change of the product's source. */
export interface Mutation {
  readonly name: string;
  /** The bug in one sentence, as docs/reliability.md prints it. */
  readonly bug: string;
  /** From the project's folder. */
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** The bug must be noticed within this number of seeds. */
  readonly within: number;
}

export const mutations: readonly Mutation[] = [
  {
    name: 'ack-before-write',
    bug: 'a message counts as settled before the work on it has ended',
    file: 'shared/core/sync/settle-entities.ts',
    find: '    let outcome: Outcome;\n',
    replace: '    unsettled.delete(item);\n    let outcome: Outcome;\n',
    within: 20,
  },
  {
    name: 'no-version-guard',
    bug: 'an older snapshot is applied over a newer one',
    file: 'shared/core/sync/plan.ts',
    find: '  if (version < entry.version) {',
    replace: '  if (version < 0) {',
    within: 20,
  },
  {
    name: 'dedup-by-event-id',
    bug: "deliveries are identified by the merchant's action, which several share",
    file: 'shared/shopify/webhooks/webhook-headers.ts',
    find: "webhookId: required['webhook-id'],",
    replace: "webhookId: find(headers, family + 'event-id') as string,",
    within: 20,
  },
  {
    name: 'group-goes-on-after-a-failure',
    bug: 'what waits behind a failed message of its own group is processed',
    file: 'shared/core/sync/settle-entities.ts',
    find: "      if (reading.kind !== 'ask-store' || !retry.unanswered) return retry;\n",
    replace: '',
    within: 40,
  },
  {
    name: 'rejection-closes-the-ledger',
    bug: 'a rejected state counts as applied, so that its replay is superseded',
    file: 'shared/core/ledger/change-entry.ts',
    find: '    version: change.entry?.version ?? 0,\n',
    replace: '    version: newestVersion(change) + 1,\n',
    within: 60,
  },
  {
    name: 'no-uncertain-mark',
    bug: 'no uncertain mark is written before an applied state is replaced',
    file: 'shared/core/sync/plan.ts',
    find: 'mark: known && !entry.uncertain }',
    replace: 'mark: false }',
    within: 300,
  },
  {
    name: 'unchanged-keeps-the-version',
    bug: 'a snapshot that changes nothing does not advance the version',
    file: 'shared/core/sync/plan.ts',
    find: 'advance: version > entry.version }',
    replace: 'advance: false }',
    within: 60,
  },
  {
    name: 'older-messages-leave-first',
    bug: 'older messages are acknowledged before the newest one is settled',
    file: 'shared/core/sync/settle-entities.ts',
    find: '  let known = entry;\n',
    replace:
      '  for (const older of work.slice(1)) unsettled.delete(older.item);\n  let known = entry;\n',
    within: 20,
  },
  {
    name: 'letter-dedup-by-webhook-id',
    bug: 'a second dead letter of one webhook within five minutes is swallowed',
    file: 'shared/core/events/message-ids.ts',
    find: '  return source.messageId;\n',
    replace:
      '  return /"deliveryId":"([^"]+)"/.exec(source.body)?.[1]?.replaceAll(/[^\\x21-\\x7e]/g, \'-\') ?? source.messageId;\n',
    within: 300,
  },
  {
    name: 'retry-without-cap',
    bug: 'the delay between two tries doubles without a limit',
    file: 'shared/core/batch/retry-policy.ts',
    find: 'const LONGEST_DELAY = 1800;',
    replace: 'const LONGEST_DELAY = Number.POSITIVE_INFINITY;',
    within: 300,
  },
  {
    name: 'no-fallback-on-13',
    bug: 'a completed order that cannot be cancelled is not sent as cancelled either',
    file: 'shared/core/sync/make-calls.ts',
    find: '  if (!hasCode(cancelled, CANNOT_CANCEL_COMPLETED) || !fallBack) {',
    replace: '  if (fallBack || !hasCode(cancelled, CANNOT_CANCEL_COMPLETED)) {',
    within: 20,
  },
  {
    name: 'skip-forgets-an-applied-order',
    bug: 'an order whose customer was deleted is skipped although the service holds it',
    file: 'shared/core/mapping/map-order.ts',
    find: '!known || (remembered !== undefined && !remembered.customer)',
    replace: 'true',
    within: 60,
  },
  {
    name: 'no-wait-after-an-unknown-outcome',
    bug: 'after a time-out the next call follows at once, and may overtake the first',
    file: 'shared/core/sync/make-calls.ts',
    find: '        mayHaveHappened ? AFTER_UNKNOWN_OUTCOME : 0,',
    replace: '        0,',
    within: 60,
  },
  {
    name: 'accepted-without-a-queue',
    bug: 'the receiver answers 200 although the queue did not take the event',
    file: 'shared/shopify/webhooks/receive-webhook.ts',
    find: "      ...errorFields(error),\n    });\n    return { status: 503, text: 'try again later' };\n  }\n  telemetry.count('received'",
    replace:
      "      ...errorFields(error),\n    });\n    return { status: 200, text: 'accepted' };\n  }\n  telemetry.count('received'",
    within: 40,
  },
  {
    name: 'letter-lost-when-parking-fails',
    bug: 'a message leaves its queue although no dead letter could be written',
    file: 'shared/core/batch/conclude.ts',
    find: '    return false;\n',
    replace: '    return true;\n',
    within: 600,
  },
  {
    name: 'retried-messages-are-deleted',
    bug: 'the batch does not name what stays on the queue',
    file: 'shared/core/batch/conclude.ts',
    find: '  return kept.map(({ messageId }) => messageId);',
    replace: '  return [];',
    within: 20,
  },
  {
    name: 'same-second-is-believed',
    bug: 'of two changes within one second, the one that arrives last counts as the newest',
    file: 'shared/core/sync/plan.ts',
    find: "  if (tie && source === 'event') return",
    replace: "  if (tie && source === 'store') return",
    within: 60,
  },
  {
    name: 'codes-are-not-announced',
    bug: 'the codes of a discount are not recorded in the ledger before they are sent',
    file: 'shared/core/sync/fan-out.ts',
    find: '  const unknown = coupons.filter(',
    replace: '  const unknown = [].filter(',
    within: 600,
  },
  {
    name: 'gone-without-an-announcement',
    bug: 'an entity that the store does not show counts as deleted, although the store only lags',
    file: 'shared/core/sync/read-snapshot.ts',
    find: "  const announced = claim === 'deleted' || claim === 'code-removed';",
    replace: '  const announced = claim.length > 0;',
    within: 300,
  },
  {
    name: 'healing-misses-what-is-stale',
    bug: 'reconcile does not send entities that the store has changed since',
    file: 'shared/core/reconcile/judge-entity.ts',
    find: "version > entry.version ? heal('stale') : { kind: 'fine' };",
    replace: "{ kind: 'fine' };",
    within: 60,
  },
  {
    name: 'dead-worker-is-forgotten',
    bug: 'what a dead worker may have sent counts as never sent',
    file: 'shared/core/sync/settle-entities.ts',
    find: '  if (!work.some(({ item }) => item.message.attempts > 1)) return {};',
    replace: '  if (work.length > 0) return {};',
    within: 600,
  },
  {
    name: 'permit-is-never-given-back',
    bug: 'the circuit breaker counts calls that have ended as still running',
    file: 'shared/core/sync/circuit-breaker.ts',
    find: '    inFlight -= 1;\n',
    replace: '',
    within: 60,
  },
  {
    name: 'a-group-per-delivery',
    bug: 'messages are grouped by delivery, so that two workers can have the same order',
    file: 'shared/core/events/message-ids.ts',
    find: '  const { shop, kind } = event;\n',
    replace:
      "  const { shop, kind, deliveryId } = event as EventHead;\n  if (kind === 'order') return [shop, kind, event.id, deliveryId].join('/');\n",
    within: 20,
  },
  {
    name: 'test-orders-are-sent',
    bug: 'a test order of the merchant earns points',
    file: 'shared/core/mapping/map-order.ts',
    find: "  if (!known && order.test && rules.testOrders === 'skip') return 'test-order';\n",
    replace: '',
    within: 20,
  },
  {
    name: 'healing-misses-deletions',
    bug: 'the deep walk does not look for deleted entities',
    file: 'shared/core/reconcile/find-deletions.ts',
    find: '  if (entry.appliedKey === undefined) return false;\n',
    replace: '  if (!entry.uncertain) return false;\n',
    within: 60,
  },
  {
    name: 'healing-misses-what-is-missing',
    bug: 'reconcile does not send entities that no webhook announced',
    file: 'shared/core/reconcile/judge-entity.ts',
    find: "? { kind: 'history' } : heal('missing');",
    replace: "? { kind: 'history' } : { kind: 'fine' };",
    within: 60,
  },
  {
    name: 'replay-removes-first',
    bug: 'a dead letter is removed before its queue holds the replayed message',
    file: 'scripts/connector/dead-letters/replay/replay-letters.ts',
    find: "    onStep('sending');\n",
    replace:
      "    onStep('sending');\n    await queue.remove(some.map(({ letter }) => letter.receiptHandle));\n",
    within: 60,
  },
  {
    name: 'personal-data-in-a-log',
    bug: 'the name of a customer is logged',
    file: 'shared/core/batch/conclude.ts',
    find: "    ...(outcome.kind === 'handled' && { how: outcome.how }),\n    ...(outcome.kind === 'applied'",
    replace:
      "    ...{ body: Buffer.from((event as { body?: Uint8Array }).body ?? []).toString() },\n    ...(outcome.kind === 'applied'",
    within: 20,
  },
];
