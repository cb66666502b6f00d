import type { BackfillsDocument } from '../../../backfill/report.ts';
import type { RunsDocument } from '../../../reconcile/reconcile.ts';
import { SENT_REASONS } from '../../../reconcile/sent-reasons.ts';
import type { WebhooksDocument } from '../../../webhooks/webhooks.ts';
import { about, isOffered } from '../about.ts';
import { openAction } from '../action.ts';
import { Answer } from '../parts/answer.tsx';
import { Ago, Choice, Form } from '../parts/form.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { hrefOf, type ViewProps } from '../router.ts';
import { useQuestion } from '../use-question.ts';
import { numberText } from '../words.ts';

/** What makes up for lost webhooks: comparisons, subscriptions, and sending what is older. */
export function HealingView(_props: ViewProps) {
  return (
    <>
      <Runs />
      <Subscriptions />
      <Backfills />
    </>
  );
}

type ShopRunsDocument = RunsDocument['shops'][number];
type Run = ShopRunsDocument['runs'][number];

function Runs() {
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

type ShopFindings = WebhooksDocument['shops'][number];

function Subscriptions() {
  const question = useQuestion<WebhooksDocument>({ command: 'webhooks check' });
  return (
    <section>
      <h2>Webhook subscriptions</h2>
      <Answer question={question}>
        {({ madeBy, shops }) => (
          <>
            {madeBy === 'app-configuration' && (
              <p>The app's configuration makes the subscriptions; they cannot be seen from here.</p>
            )}
            {shops.map((one) => (
              <ShopSubscriptions {...one} key={one.shop} onEnd={question.askAgain} />
            ))}
          </>
        )}
      </Answer>
    </section>
  );
}

function ShopSubscriptions(found: ShopFindings & { readonly onEnd: () => void }) {
  const { shop, inOrder, fine, apiVersion, onEnd } = found;
  const rows = rowsOf(found);
  const repair = () => {
    const line = { command: 'webhooks sync', options: { shop } };
    openAction({
      title: `Repair: ${shop}`,
      preview: line,
      line: { ...line, options: { shop, yes: true } },
      onEnd,
    });
  };
  return (
    <div class="card">
      <h3>{shop}</h3>
      <p>
        <span class={`badge ${inOrder ? 'well' : 'bad'}`}>
          {inOrder ? 'In order' : 'Not in order'}
        </span>{' '}
        {numberText(fine.length)} as they should be{' '}
        <span class="soft">API {apiVersion.handle}</span>
      </p>
      {rows.length > 0 && (
        <Table
          rows={rows}
          keyOf={(row) => row.join(' ')}
          columns={[
            { title: 'Topic', cell: ([topic]) => topic },
            {
              title: 'State',
              cell: ([, state, detail = '']) => (
                <>
                  {strings.states[state]} <span class="soft">{detail}</span>
                </>
              ),
            },
          ]}
        />
      )}
      {!inOrder && isOffered('webhooks sync') && (
        <p class="buttons">
          <button type="button" onClick={repair}>
            Repair
          </button>
        </p>
      )}
    </div>
  );
}

type Row = readonly [
  topic: string,
  state: 'missing' | 'wrong' | 'extra' | 'covered' | 'other',
  detail?: string,
];

function rowsOf({ missing, wrong, extra, covered, other }: ShopFindings): readonly Row[] {
  return [
    ...missing.map((topic): Row => [topic, 'missing']),
    ...wrong.map(({ topic, differs }): Row => [topic, 'wrong', differs.join(', ')]),
    ...extra.map(({ topic, uri }): Row => [topic, 'extra', uri]),
    ...covered.map(({ topic }): Row => [topic, 'covered']),
    ...other.map(({ topic, uri }): Row => [topic, 'other', uri]),
  ];
}

type Backfill = BackfillsDocument['backfills'][number];

function Backfills() {
  const question = useQuestion<BackfillsDocument>({ command: 'backfill status' });
  return (
    <section>
      <h2>{strings.backfills}</h2>
      <Answer question={question}>
        {({ backfills }) =>
          backfills.length === 0 ? (
            <p>No backfill was started yet.</p>
          ) : (
            <BackfillTable backfills={backfills} onEnd={question.askAgain} />
          )
        }
      </Answer>
      {isOffered('backfill orders') && <StartForm onEnd={question.askAgain} />}
    </section>
  );
}

function BackfillTable({
  backfills,
  onEnd,
}: Pick<BackfillsDocument, 'backfills'> & { readonly onEnd: () => void }) {
  const resume = ({ id, shop }: Backfill) =>
    openAction({
      title: `Resume: ${id}`,
      line: { command: 'backfill resume', operands: [id], options: { shop } },
      onEnd,
    });
  return (
    <div class="card">
      <Table
        rows={backfills}
        keyOf={({ shop, id }) => `${shop} ${id}`}
        columns={[
          {
            title: strings.backfills,
            cell: ({ id, shop }) => (
              <>
                {id} <span class="soft">{shop}</span>
              </>
            ),
          },
          {
            title: 'State',
            cell: (one) => (
              <>
                <span class={`badge ${one.state === 'finished' ? 'well' : 'waits'}`}>
                  {strings.stages[one.state]}
                </span>{' '}
                {one.state !== 'finished' && isOffered('backfill resume') && (
                  <button type="button" class="quiet" onClick={() => resume(one)}>
                    Resume
                  </button>
                )}
              </>
            ),
          },
          {
            title: 'Sent',
            cell: ({ sent, total, state, unreadable }) => (
              <>
                {numberText(sent)}
                {total !== undefined && ` / ${numberText(total)}`}
                {state !== 'finished' && total !== undefined && (
                  <progress value={sent + unreadable} max={Math.max(total, 1)} />
                )}
              </>
            ),
          },
          {
            ...{ title: 'Left out', kind: 'number' },
            cell: ({ unreadable }) => numberText(unreadable),
          },
          { title: 'Last progress', cell: ({ savedAt }) => <Ago at={savedAt} /> },
        ]}
      />
    </div>
  );
}

/** Shows the estimate before anything is sent. */
function StartForm({ onEnd }: { readonly onEnd: () => void }) {
  const submit = ({ kind = 'orders', ...options }: Readonly<Record<string, string>>) => {
    const command = `backfill ${kind}`;
    openAction({
      title: `${strings.backfills}: ${strings.whats[kind as keyof typeof strings.whats]}`,
      preview: { command, options },
      line: { command, options: { ...options, yes: true } },
      onEnd,
    });
  };
  return (
    <Form class="card" onSubmit={submit}>
      <h3>Send what is older than the connector</h3>
      <div class="filters">
        <Choice label="What" name="kind" of={strings.whats} />
        <Choice label="Shop" name="shop" of={about.shops} />
        <label>
          Created since <input type="date" name="since" required />
        </label>
        <label>
          Created before <input type="date" name="until" />
        </label>
        <button type="submit">Estimate</button>
      </div>
    </Form>
  );
}

type Stage = BackfillsDocument['backfills'][number]['state'];

const strings = {
  kinds: {
    order: 'Order',
    product: 'Product',
    coupon: 'Coupon',
  },
  states: {
    missing: 'missing',
    wrong: 'wrong',
    extra: 'too many',
    covered: 'Events announce it too',
    other: 'another address',
  },
  backfills: 'Backfills',
  stages: {
    finished: 'Finished',
    'not-started': 'Not started',
    'waits-for-store': 'Waits for the store',
    'stopped-or-running': 'Stopped or running',
  } satisfies Readonly<Record<Stage, string>>,
  whats: {
    orders: 'Orders',
    products: 'Products',
    discounts: 'Discount codes',
  },
};
