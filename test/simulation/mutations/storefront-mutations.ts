import type { Mutation } from './mutation.ts';

/** Deliberate bugs in redemptions, point events and balances. */
export const storefrontMutations: readonly Mutation[] = (
  [
    {
      name: 'new-key-at-each-attempt',
      bug: 'a repeated redemption has another key, so the service spends the points again',
      find: 'loyalty.redeemRewardByKey(rewardId, body, {',
      replace:
        'loyalty.redeemRewardByKey(rewardId, { ...body, OriginalKey: body.OriginalKey + attempt }, {',
      within: 60,
    },
    {
      name: 'refusal-after-a-lost-answer-is-believed',
      bug: 'a refusal counts although an earlier attempt may have spent the points',
      find: '      return state.attempts > 1\n        ? { ...state, refusal: { why } }',
      replace: '      return state.attempts > 1_000\n        ? { ...state, refusal: { why } }',
      within: 60,
    },
    {
      name: 'lost-answer-counts-as-not-sent',
      bug: 'a redemption whose answer is lost is forgotten',
      find: "      if (result.mayHaveHappened) return 'unanswered';",
      replace: "      if (result.mayHaveHappened) return 'not-sent';",
      within: 60,
    },
    {
      name: 'repeated-at-once',
      bug: 'a redemption is repeated while the first attempt may still be executed',
      find: 'export const REPEAT_AFTER_SECONDS = AFTER_UNKNOWN_OUTCOME_SECONDS;',
      replace: 'export const REPEAT_AFTER_SECONDS = 1;',
      within: 60,
    },
    {
      name: 'cancelled-without-looking',
      bug: 'a redemption is cancelled without looking whether the store has its code',
      find: '  const found = await deps.store.findCode(record.customer.shop, wanted);',
      replace:
        "  const found = { kind: 'absent' } as Awaited<ReturnType<typeof deps.store.findCode>>;",
      within: 300,
    },
    {
      name: 'cancelled-too-soon',
      bug: 'a redemption is cancelled although a request for its code may be under way',
      find: 'const CANCEL_AFTER_SECONDS = 60;',
      replace: 'const CANCEL_AFTER_SECONDS = 0;',
      within: 300,
    },
    {
      name: 'refused-code-is-not-cancelled',
      bug: 'the store refuses a code, and the points are not given back',
      find: "      if (wait > 0) return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };",
      replace: "      if (wait > 0) return { kind: 'handled', how: 'redemption-settled' };",
      within: 60,
    },
    {
      name: 'second-cancel-needs-a-person',
      bug: 'a repeated cancellation, which finds the redemption cancelled, counts as refused',
      find: "    case 'applied':\n      return resume(work, await applyStep(record, redemption.id, { kind: 'cancelled' }));",
      replace:
        "    case 'applied':\n      if (called.result.kind === 'business-error') return getStuck(work, redemption, 'cancel-refused');\n      return resume(work, await applyStep(record, redemption.id, { kind: 'cancelled' }));",
      within: 300,
    },
    {
      name: 'intent-is-not-queued',
      bug: 'no message holds a redemption, so that it ends with its process',
      find: '  await deps.queue.send(event);\n',
      replace: '',
      within: 60,
    },
    {
      name: 'faster-worker-forgets',
      bug: 'a worker that is faster than the click takes its redemption for gone',
      find: '      return repeat(work, redemption, redemption.intendedAt);\n',
      replace: "      return { kind: 'handled', how: 'redemption-gone' };\n",
      within: 60,
    },
    {
      name: 'one-look-for-a-second-click',
      bug: 'two clicks at the same moment begin two redemptions',
      find: '    if (joined) return joined;\n',
      replace: '',
      within: 60,
    },
    {
      name: 'shown-before-it-is-recorded',
      bug: 'the customer sees a code that is not recorded as made',
      find: "    case 'crediting':\n      return { ...without, state: 'making' };\n",
      replace:
        "      return { ...common, state: 'ready', code: state.code.code, validUntil: null };\n    case 'crediting':\n      return { ...without, state: 'making' };\n",
      within: 60,
    },
    {
      name: 'order-while-cancelling-is-missed',
      bug: 'an order that names a code while its points are given back is forgotten',
      find: '      return takeBack && !state.ordered ? { ...state, ordered: true } : undefined;\n',
      replace: '      return undefined;\n',
    },
    {
      name: 'return-does-not-wait',
      bug: 'the message of a reward that is taken back ends before its points are back',
      find: "    return { kind: 'retry', why: 'redemption-to-cancel', afterSeconds: wait };\n",
      replace: "    return { kind: 'settled', redemption: undefined };\n",
    },
    {
      name: 'owing-is-told-once',
      bug: 'nobody takes the points of a late order whose worker died after noting it',
      find: "  const noted = isNew ? await applyStep(record, id, { kind: 'use' }) : one;\n",
      replace:
        "  const noted = isNew ? await applyStep(record, id, { kind: 'use' }) : undefined;\n",
    },
    {
      name: 'code-is-made-again-beside-an-order',
      bug: 'a code that an order has used is made again, because the service does not cancel',
      find: "      if (ordered) return { at: 'used', code };\n",
      replace: '',
    },
    {
      name: 'one-look-before-another-credit',
      bug: 'store credit is given again after one look at the account, before a late call has taken effect',
      find: '  if (absentAt) return secondsUntil(absentAt, LOOK_AGAIN_AFTER_SECONDS, now);\n',
      replace: '',
    },
    {
      name: 'cancelled-without-looking-at-orders',
      bug: 'the points of a code that was taken back are given back although an order named it',
      find: "  return settle(record, id, { kind: ordered ? 'use' : 'cancel' });\n",
      replace: "  return settle(record, id, { kind: ordered ? 'cancel' : 'cancel' });\n",
      within: 300,
    },
    {
      name: 'late-order-is-forgotten',
      bug: 'an order that names a code after its points were given back costs nothing',
      find: "      return takeBack && state.code && { at: 'owing', code: state.code };\n",
      replace: '      return undefined;\n',
      within: 60,
    },
    {
      name: 'credit-is-repeated-blindly',
      bug: 'an unclear call is repeated although the account has its store credit',
      find: 'const found = await findOwn(read.credits, redemption, record);',
      replace: 'const found = await findOwn([], redemption, record);',
      within: 60,
    },
    {
      name: 'redaction-does-not-wait',
      bug: 'a person is erased while one of their redemptions is open',
      find: 'if (open.length > 0 && mayWait(event, now())) return',
      replace: 'if (open.length > 1_000 && mayWait(event, now())) return',
      within: 60,
    },
    {
      name: 'reading-answers-later-events',
      bug: 'a reading counts as the answer to events that arrive up to a minute after it',
      find: 'return at > (entry?.version ?? 0);',
      replace: 'return at > (entry?.version ?? 0) + 60_000;',
      within: 300,
    },
    {
      name: 'no-mark-before-a-balance',
      bug: 'a worker that dies after writing a balance leaves no mark of it',
      find: 'const marked = isApplied ? await',
      replace: 'const marked = isApplied && read === undefined ? await',
      within: 600,
    },
    {
      name: 'points-accepted-without-a-queue',
      bug: 'the receiver of point events answers 200 although the queue did not take the event',
      find: "    return { status: 503, text: 'try again later' };\n  }\n  telemetry.log('info', LOG_LINES.received, {",
      replace:
        "    return { status: 200, text: 'accepted' };\n  }\n  telemetry.log('info', LOG_LINES.received, {",
      within: 300,
    },
    {
      name: 'repair-misses-those-who-left',
      bug: 'the nightly comparison leaves out customers who left the program',
      find: '  return scan.isEnrolled ? { ...scan, isEnrolled: false, page: 1 } : undefined;',
      replace: '  return scan.page < 0 ? scan : undefined;',
      within: 600,
    },
    {
      name: 'requests-are-not-answered',
      bug: 'a request of the nightly comparison does not make the worker read',
      find: 'items.some(({ event }) => isOpen(event, read))',
      replace: "items.some(({ event }) => event.topic !== 'repair' && isOpen(event, read))",
      within: 60,
    },
  ] as const
).map((mutation) => ({ ...mutation, part: 'storefront' }));
