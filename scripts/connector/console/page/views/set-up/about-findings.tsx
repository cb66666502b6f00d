import type { Finding } from '../../../../doctor/finding.ts';
import { Table } from '../../parts/table.tsx';
import { words } from '../../words.ts';
import { strings } from './strings.ts';

type Subject = NonNullable<Finding['about']>;
type AlarmAddress = Extract<Subject, { kind: 'alarm-address' }>;
type Reward = Extract<Subject, { kind: 'reward' }>;

export function Alarms({ addresses }: { readonly addresses: readonly AlarmAddress[] }) {
  const texts = words(strings);
  return (
    <section>
      <h2>{texts.alarms}</h2>
      <div class="card">
        {addresses.length === 0 && <p>{texts.noAlarms}</p>}
        {addresses.map(({ endpoint, confirmed }) => (
          <p key={endpoint}>
            {endpoint}{' '}
            <span class={`badge ${confirmed ? 'well' : 'bad'}`}>
              {confirmed ? texts.confirmed : texts.unconfirmed}
            </span>
          </p>
        ))}
      </div>
    </section>
  );
}

/** Each title beside what the connector makes of it: only a person sees a wrong reading. */
export function Rewards({ rewards }: { readonly rewards: readonly Reward[] }) {
  const texts = words(strings);
  if (rewards.length === 0) return null;
  return (
    <section>
      <h2>{texts.rewards}</h2>
      <div class="card">
        <Table
          rows={rewards}
          keyOf={({ shop, id }) => `${shop} ${id}`}
          columns={[
            {
              title: texts.reward,
              cell: ({ title, id }) => (
                <>
                  {title} <span class="soft">{id}</span>
                </>
              ),
            },
            {
              title: texts.becomes,
              cell: ({ becomes }) => (
                <>
                  <strong>{texts.readings[becomes?.kind ?? 'unread']}</strong>{' '}
                  <span lang="en">{becomes?.text}</span>
                </>
              ),
            },
          ]}
        />
      </div>
    </section>
  );
}
