import type { WebhooksDocument } from '../../../../webhooks/sync-webhooks.ts';
import { isOffered } from '../../about.ts';
import { openAction } from '../../action.ts';
import { Answer } from '../../parts/answer.tsx';
import { Table } from '../../parts/table.tsx';
import { useQuestion } from '../../use-question.ts';
import { numberText } from '../../words.ts';
import { strings } from './strings.ts';

type ShopFindings = WebhooksDocument['shops'][number];

export function Subscriptions() {
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
