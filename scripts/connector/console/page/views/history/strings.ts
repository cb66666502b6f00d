import type { ChangeEnded } from '../../../../history/audit-records.ts';
import { inEveryLanguage, type Said } from '../../words.ts';

export const strings = inEveryLanguage({
  none: [
    'No such change is recorded.',
    'Nenhuma alteração assim está registrada.',
    'No hay ningún cambio así registrado.',
  ],
  begun: ['Begun', 'Início', 'Inicio'],
  who: ['Who', 'Quem', 'Quién'],
  command: ['Command', 'Comando', 'Comando'],
  result: ['Result', 'Resultado', 'Resultado'],
  changed: ['Changed', 'Alterado', 'Cambiado'],
  results: {
    finished: ['Finished', 'Terminado', 'Terminado'],
    failed: ['Failed', 'Falhou', 'Falló'],
    interrupted: ['Stopped', 'Interrompido', 'Detenido'],
    'no-end': ['No end recorded', 'Fim não registrado', 'Final no registrado'],
  } satisfies Readonly<Record<ChangeEnded['result'] | 'no-end', Said>>,
  noEndMeans: [
    'It still runs, or its process was ended.',
    'Ainda está rodando, ou o processo foi encerrado.',
    'Sigue en marcha, o su proceso terminó.',
  ],
  earlier: ['Earlier', 'Anteriores', 'Anteriores'],
  newest: ['Newest', 'Mais recentes', 'Más recientes'],
  show: ['Show', 'Mostrar', 'Mostrar'],
});
