import type { ComparedDocument } from '../../../../compare/show-comparison.ts';
import { inShop } from '../../about.ts';
import { Answer } from '../../parts/answer.tsx';
import { Sides } from '../../parts/sides.tsx';
import { useQuestion } from '../../use-question.ts';
import { words } from '../../words.ts';
import { strings } from './strings.ts';

/** Read now, from both sides. */
export function BothSides({
  kind,
  id,
  shop,
}: {
  readonly kind: ComparedDocument['kind'];
  readonly id: string;
  readonly shop: string;
}) {
  const texts = words(strings);
  const question = useQuestion<ComparedDocument>({
    command: 'compare',
    operands: [kind, id],
    options: inShop(shop),
  });
  return (
    <section aria-label={texts.bothSides}>
      <h2>{texts.bothSides}</h2>
      <Answer question={question}>
        {({ what, rows }) => (
          <>
            <p lang="en">{what}</p>
            <Sides
              label={texts.bothSides}
              columns={[texts.who.store, texts.who.ledger, texts.who['loyalty service']]}
              rows={rows.map(({ field, store, ledger, service, differs }) => ({
                ...{ field: texts.fields[field] ?? field, differs },
                cells: [store, ledger, service],
              }))}
              differs={texts.differs}
            />
          </>
        )}
      </Answer>
    </section>
  );
}
