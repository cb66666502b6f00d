import { SENT_REASONS } from '../../../../reconcile/sent-reasons.ts';
import type { RunsDocument } from '../../../../reconcile/show-runs.ts';
import { isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Answer } from '../../parts/answer.tsx';
import { Ago } from '../../parts/form.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { hrefOf } from '../../router.ts';
import { useQuestion } from '../../use-question.ts';
import { numberText } from '../../words.ts';
import { strings } from './strings.ts';

type ShopRunsDocument = RunsDocument['shops'][number];
type Run = ShopRunsDocument['runs'][number];

export function Runs() {
  const question = useQuestion<RunsDocument>({ command: 'reconcile status' });
  return (
    <section>
      <h2>Comparisons of the store with what was sent</h2>
      <Answer question={question}>
        {({ shops, everyMinutes }) =>
          shops.map((one) => (
            <ShopRuns
              {...one}
              key={one.shop}
              everyMinutes={everyMinutes}
              onEnd={question.askAgain}
            />
          ))
        }
      </Answer>
    </section>
  );
}

function ShopRuns({
  shop,
  runs,
  ordersRead,
  everyMinutes,
  onEnd,
}: ShopRunsDocument & Pick<RunsDocument, 'everyMinutes'> & { readonly onEnd: () => void }) {
  const differing = [...new Set(ordersRead.flatMap(({ ids }) => ids))];
  const compare = (title: string, deep: boolean) =>
    openAction({
      title: `${title}: ${shop}`,
      line: { command: 'reconcile', options: { shop, wait: true, ...(deep && { deep }) } },
      children: (
        <p>
          {deep
            ? 'Not only what changed lately. It can take several runs.'
            : 'It finds what changed in the store and was not sent, and sends it. The last quarter of an hour is left to its webhooks, which may still come.'}
        </p>
      ),
      onEnd,
    });
  return (
    <div class="card">
      <h3>
        {shop} <span class="soft">every {numberText(everyMinutes)} minutes</span>
      </h3>
      {isOffered('reconcile') && (
        <p class="buttons">
          <button type="button" onClick={() => compare('Compare now', false)}>
            Compare now
          </button>
          <button type="button" class="quiet" onClick={() => compare('Compare everything', true)}>
            Compare everything
          </button>
        </p>
      )}
      {runs.length === 0 ? (
        <p>No comparison has ended yet.</p>
      ) : (
        <RunTable runs={runs} shop={shop} />
      )}
      {differing.length > 0 && (
        <p>
          The loyalty service holds another state of these orders:{' '}
          <EntityLinks kind="order" ids={differing} shop={shop} />
        </p>
      )}
    </div>
  );
}

const sum = (counts: Run['healed']) => counts.order + counts.product + counts.coupon;

function RunTable({ runs, shop }: Pick<ShopRunsDocument, 'runs' | 'shop'>) {
  const figure = (title: string, countsOf: (run: Run) => Run['healed']): Column<Run> => ({
    ...{ title, kind: 'number' },
    cell: (run) => numberText(sum(countsOf(run))),
  });
  return (
    <Table
      rows={runs}
      keyOf={({ endedAt }) => endedAt}
      below={(run) => (run.sent ?? []).length > 0 && <SentList run={run} shop={shop} />}
      columns={[
        { title: 'Ended', cell: ({ endedAt }) => <Ago at={endedAt} /> },
        figure('Compared', ({ lookedAt }) => lookedAt),
        figure('Healed', ({ healed }) => healed),
        figure('Rolled out', ({ rolledOut }) => rolledOut),
        { title: 'Not compared', cell: (run) => <span>{leftText(run)}</span> },
      ]}
    />
  );
}

function leftText({ stopped, deep }: Run): string {
  const left = [
    ...stopped.map(({ kind, why }) => `${kind}: ${why}`),
    ...(deep?.stopped ? [`deep: ${deep.stopped.why}`] : []),
  ];
  return left.join(', ') || '–';
}

/** By reason, so that the cause shows. */
function SentList({ run, shop }: { readonly run: Run; readonly shop: string }) {
  const { sent = [], healed, rolledOut } = run;
  const groups = Map.groupBy(sent, ({ kind, why }) => `${kind} ${why}`);
  const more = sum(healed) + sum(rolledOut) - sent.length;
  return (
    <details>
      <summary>What was sent, and why</summary>
      <ul>
        {[...groups].map(([name, [first, ...others]]) =>
          first ? (
            <li key={name}>
              {strings.kinds[first.kind]}{' '}
              <EntityLinks
                kind={first.kind}
                ids={[first, ...others].map(({ id }) => id)}
                shop={shop}
              />
              : {SENT_REASONS[first.why]}
            </li>
          ) : null,
        )}
        {more > 0 && <li>and {numberText(more)} more</li>}
      </ul>
    </details>
  );
}

function EntityLinks({
  kind,
  ids,
  shop,
}: {
  readonly kind: 'order' | 'product' | 'coupon';
  readonly ids: readonly string[];
  readonly shop: string;
}) {
  return (
    <>
      {ids.map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a href={hrefOf('story', [kind, id], { shop })}>{id}</a>
        </span>
      ))}
    </>
  );
}
