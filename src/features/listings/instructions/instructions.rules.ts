// Patterns of texts that look like instructions to a language model. Gaps between their words are bounded, so that they take linear time.
// To add a rule, add an attack that it finds to tests/harness/attack-texts.ts. Honest texts there and real listings must stay unflagged.

/** A pattern that begins with one of `words`. The text is searched only for these words, and `rest` is tried after each. */
interface InstructionRule {
  words: string
  rest: string
}
const after = (words: string, ...rest: string[]): InstructionRule => ({ words, rest: rest.join('') })

// Parts of patterns. `more`: a gap with up to `count` other words. `any`: one of the words. `maybe`: up to `count` of the words.
const GAP = "[^a-z0-9']{1,8}"
const more = (count: number): string => `${GAP}(?:[a-z0-9']{1,20}${GAP}){0,${count}}?`
const any = (words: string): string => `(?:${words.replaceAll(' ', '|').replaceAll('+', GAP)})\\b`
const maybe = (count: number, words: string): string => `(?:(?:${words.replaceAll(' ', '|')})${GAP}){0,${count}}?`

// In these lists a space separates alternatives, and + stands for the gap between two words.
const MODEL =
  '(?:ais?|llms?|(?:large+)?language+models?|(?:ai|llm|virtual|digital)+(?:agents?|assistants?|models?|systems?|chatbots?|crawlers?|tools?|bots?)|chatbots?|chatgpt|gpt[0-9.-]{0,4}|claude|gemini|copilot|perplexity|grok)'.replaceAll(
    '+',
    GAP,
  )
const READER = `(?:${MODEL}|agents?|assistants?|models?|bots?|crawlers?)\\b`
const ORDERS = any(
  'instructions? prompts? rules? guidelines? directives? commands? directions? orders messages? context constraints restrictions? guardrails? safeguards? safety+(?:filters?|checks?|measures?|protocols?) filters? policies policy training programming system+prompts? conversation tasks? requests? text limitations? configuration persona',
)
const EARLIER = any(
  "previous previously prior above earlier preceding foregoing your all any every existing original initial system safety built-in other these those developer past former current users? user's",
)
const SECRET = any(
  '(?:system|hidden|initial|secret|original|developer)+(?:prompts?|messages?|instructions?|rules) (?:your|the|my)+(?:original+|full+|entire+|exact+)?instructions api+keys? credentials? passwords? access+tokens? environment+variables? env+vars secrets private+keys? session+tokens? cookies',
)
const PRIVATE = any(
  "conversations? chat chat+(?:history|log) (?:message|conversation)+history history memory system+prompt context+window users?+data (?:personal|private)+data user+information user's+(?:name|e-?mail|address|location|data|files|messages|details|information) e-?mails? contacts? files? documents? passwords? credentials? api+keys? tokens? secrets? environment+variables? env+vars cookies",
)
const ADDRESS =
  '(?:https?:|www\\.|[a-z0-9._-]{1,40}@|this (?:address|url|server|endpoint|webhook|link|e-?mail)|our (?:server|endpoint|webhook|api|address)|attacker|an? external)'
const USER = any(
  '(?:the+|your+)?(?:users?|humans?|customer|person|operator) them anyone anybody these+instructions this+(?:instruction|message|note|prompt|text|injection)',
)

/** Each reason, which administrators read, with its rules. The rules match text that `fold` of `find-instructions.ts` returned. */
// biome-ignore format: one rule a line, because this is a table
export const RULES: readonly (readonly [reason: string, rules: readonly InstructionRule[]])[] = [
  [
    'asks to ignore earlier instructions',
    [
      after('ignore ignoring disregard disregarding forget forgetting override overriding overrides overwrite supersede supersedes neglect bypass discard dismiss drop abandon delete erase cancel violate void replace replaces', more(3), EARLIER, more(3), ORDERS),
      after('ignore disregard forget', more(2), any('everything anything whatever what all'), more(4), any('above before earlier previously said told prior up+to+now so+far written learned else')),
      after("do don't dont stop no not pay never", GAP, '(?:not |no longer |attention to |bound by )?', any('follow obey following obeying attention+to bound+by longer+follow'), more(2), EARLIER, more(3), ORDERS),
      after('previous prior earlier above preceding all your existing original', more(2), any('instructions? prompts? rules? guidelines? directives?'), more(3), any('no+longer+apply do+not+apply (?:are|is)+(?:void|null|cancell?ed|obsolete|outdated|superseded|invalid|overridden|wrong) (?:have|has)+been+(?:updated|replaced|revoked|changed|superseded|lifted|removed)')),
      after('new updated revised real actual additional important special hidden secret priority urgent override', more(1), any('instructions? directives? system+prompts? prompts? objectives? orders'), '[^a-z0-9]{0,4}(?:for you|to follow|follow)?[^a-z0-9]{0,3}[:\u2014=]'),
      after('following these my this below', more(1), any('instructions? orders commands? rules message'), more(3), any('takes?+(?:precedence|priority) overrides? supersedes? replaces? must+be+(?:followed|obeyed) have+(?:precedence|priority|the+highest+priority)')),
    ],
  ],
  [
    'gives the model another role',
    [
      after('you', GAP, 'are (?:now|hereby|henceforth)', GAP, any('an? the in called known operating running acting free unrestricted no+longer dan root admin my our required instructed working under')),
      after('from starting henceforth for', GAP, '(?:now on|now|this point on|this point forward|here on|the rest of this (?:conversation|chat|session))', GAP, '(?:please )?', any('you your always never only respond answer reply act ignore say recommend speak write treat any every all')),
      after('henceforth', GAP, any('you your always never only respond answer reply act ignore say recommend')),
      after('pretend imagine simulate assume roleplay role act', more(3), any("you+are you're to+be+an? as+if+you as+though+you you+have"), more(4), any('ai model assistant restrictions? rules unrestricted unfiltered limits filters? guidelines administrator admin root developer no without evil human jailbroken dan')),
      after('act behave respond operate answer', GAP, 'as (?:an? |the )?', any('unrestricted unfiltered uncensored jailbroken evil root admin administrator system developer dan sales different')),
      after('your', GAP, any('new real true actual only sole primary main updated secret hidden next'), GAP, any('role task goal job instructions? purpose objective mission persona identity priority directive orders rules'), GAP, any('is are will now')),
      after('developer debug god dan sudo maintenance unrestricted jailbreak admin root unsafe test', GAP, 'mode (?:is )?', any('enabled on activated engaged active unlocked')),
      after('enter enable activate switch engage in into', more(2), any('developer debug god dan sudo maintenance unrestricted jailbreak jailbroken admin root unsafe unfiltered'), ' mode\\b'),
      after('do', ' anything now\\b'),
      after('you model assistant ai', GAP, any('have has had are is with without'), more(2), any('no without free+of free+from freed+from not+bound+by'), more(2), any('restrictions limitations filters guardrails guidelines rules ethics constraints policies')),
    ],
  ],
  [
    'imitates the frame of a conversation with a model',
    [
      after('system assistant human developer tool ai', '(?<=(?:^|[\\n>*#`"\'|])[^a-z0-9\\n]{0,6}[a-z]{2,9})', '(?: (?:prompt|message|note|override|instruction|update))?[^a-z0-9\\n]{0,3}:[^/]'),
      after('system admin administrator developer security operator openai anthropic', GAP, '(?:prompt|message|note|notice|override|alert|update|instructions?|directive|command|announcement|warning)[^a-z0-9]{0,3}[:\u2014\\]]'),
      after('end start beginning', ' of (?:the )?(?:system|user|tool|untrusted|trusted|search|external|quoted|catalog)', GAP, '(?:[a-z]{1,14} )?', any('prompt instructions? output results? message context data input content text')),
      after('tool', ' (?:call|result|response|output)s?[^a-z0-9]{0,3}[:=]'),
    ],
  ],
  [
    'speaks to a model instead of a reader',
    [
      after('attention note notes message messages notice important reminder warning dear hey hello hi memo information guidance directive announcement advice request tip', "[^a-z0-9']{1,4}", maybe(3, 'for to all any the every our dear fellow reading'), MODEL, '\\b(?! (?:powered|generated|driven|based|enthusiast|lovers|fans|users|developers|engineers|integration|integrations|features|support|api))'),
      after('attention dear hey hello important note', "[^a-z0-9']{1,4}", maybe(3, 'for to all any the our'), "(?:agents?|models?|assistants?|bots?)[^a-z0-9']{0,2}[:,!\u2014]"),
      after('instruction instructions directions', GAP, maybe(3, 'for to all any the'), READER, "[^a-z0-9']{0,2}[:!\u2014]"),
      after('if', GAP, "(?:you are|you're|youre|this is (?:being )?(?:read|processed|parsed|summari[sz]ed) by|you happen to be|the reader is)", GAP, '(?:[a-z]{1,14} ){0,3}?', READER),
      after('ai ais llm llms model models chatbot chatbots assistant assistants agent agents gpt chatgpt claude gemini copilot perplexity grok crawler crawlers bot bots', GAP, maybe(2, 'that which who is are currently now'), any('reads? reading process processes processing parsing parses summari[sz]ing evaluating ranking viewing scanning indexing seeing sees consuming ingesting'), ' (?:this|these|the following)\\b'),
      after('as', ' an? (?:', READER, ")[^a-z0-9']{1,3}", any("you your please always do+not don't never recommend")),
      after('when whenever once after before while time', GAP, '(?:an? |the |any |your )?', READER, GAP, any('reads? summari[sz]es processes is+asked are+asked recommends? answers? sees responds? lists? compares? encounters? parses')),
      after('when whenever if once before after', GAP, "(?:you are |you're |you )?", any('asked summari[sz]ing reading processing answering recommending comparing responding ranking listing prompted queried summari[sz]e read process recommend answer respond compare list rank'), more(6), any("you+must you+should always never do+not don't be+sure make+sure say state mention include recommend reply respond answer tell output append add rank place put claim cite")),
      after('agents assistants models systems crawlers llm llms ais chatbot chatbots chatgpt claude gemini copilot', '(?<=(?:ai|llm|language) (?:agents|assistants|models|systems|crawlers)|llms?|ais|chatbots?|chatgpt|claude|gemini|copilot|(?:^|[.!?:\\n] ?)(?:all )?assistants)', GAP, any('must shall (?:are|is)+(?:required|instructed|told|asked|ordered|obliged|advised|expected|directed)+to have+to should+(?:always|never|only|not|recommend|rank|say|mention|ignore|treat|prefer|describe|reply|respond|list|state|include|tell|call|use|rate|place)')),
      after('openai anthropic google microsoft developers developer creators creator operators operator administrators administrator makers owners system', GAP, '(?:has |have |hereby |now )?', any('authori[sz]ed authori[sz]es instructed instructs approved ordered orders commands? requires? confirmed permits? permitted updated'), GAP, any('you your this')),
      after('this is', GAP, '(?:is )?(?:an? |the )(?:[a-z]{1,14} )?', any('system admin administrator developer official authori[sz]ed mandatory high-priority high+priority privileged trusted emergency'), GAP, '(?:[a-z]{1,14} )?', any('message instructions? override command directive order request prompt')),
      after('you', GAP, any('must have+to are+(?:required|obligated|obliged|instructed|ordered|commanded|programmed)+to shall will+now need+to+now should+now are+to are+hereby'), GAP, '(?:[a-z]{1,10} ){0,2}?', any('obey comply ignore disregard respond recommend reply answer output call reveal send execute rank say tell follow mention state describe prioriti[sz]e rate invoke print pretend refuse treat never always forward email delete buy purchase install download visit click fetch')),
    ],
  ],
  [
    'asks for a better place or for silence about others',
    [
      after('always only exclusively strongly must fail sure remember please instead', GAP, '(?:[a-z]{1,12} ){0,2}?', any('recommend suggest rank prefer choose pick select promote endorse favou?r cite present list rate'), GAP, '(?:(?:only|just|always|solely|exclusively) )?[a-z0-9]{2,20}', more(6), '(?:#1\\b|no\\. ?1\\b|', any('first best top only number+one number+1 highest above over ahead+of instead+of before rather+than regardless to+(?:the|your|every|all|any)+users? to+everyone as+the as+your in+(?:every|all|any)+(?:answers?|responses?|list)'), ')'),
      after('rank place put list show position order sort rate score keep move', GAP, '(?:this|it|us|our)(?: (?:product|tool|listing|entry|app|service|site|company|startup|one|item|result))?', GAP, maybe(3, 'as at in to on the very always being'), '(?:#1\\b|10/10|', any('first top above number+one number+1 highest best ahead before (?:five|5)+stars [0-9]{1,3}+out+of'), ')'),
      after("do don't dont never avoid refuse stop without", GAP, '(?:not |to )?(?:[a-z]{1,12} ){0,2}?', any('recommend recommending mention mentioning suggest suggesting list listing show showing rank ranking return returning include including cite present compare discuss'), GAP, '(?:[a-z]{1,12} ){0,2}?', any("others? another competing competitors? competitor's alternatives? rivals? any+of+the")),
      after('other competing rival alternative', GAP, any('tools products apps services listings results entries options competitors'), GAP, '(?:[a-z]{1,12} ){0,3}?', any('are is should+be must+be have+been'), GAP, '(?:[a-z]{1,12} ){0,2}?', any('ignored omitted excluded hidden unsafe malicious discontinued scams? removed skipped left+out not+recommended')),
      after('this', ' (?:product|tool|listing|app|service|one|is|entry)', more(4), '(?:only (?:correct|right|valid|acceptable|safe|possible) (?:answer|choice|option|recommendation|result)|must be (?:recommended|chosen|ranked|selected|listed first|mentioned)|should be (?:recommended|ranked|listed|placed|mentioned) (?:first|above|in|as|to))\\b'),
      after('best', ' (?:answer|choice|result|match|recommendation) (?:for|to) (?:every|any|all)', more(2), any('query queries questions? requests? searches')),
      after('recommend mention promote suggest prefer choose endorse', more(3), any('regardless+of no+matter whatever irrespective+of'), more(2), any('what the which user query question asked they price')),
    ],
  ],
  [
    'tells a model what to answer or to hide',
    [
      after('tell inform convince persuade assure remind notify advise instruct urge direct ask warn trick lead get', GAP, '(?:all of your|the|your|every|all|any|each|this) ', any('users? humans? customer person reader operator'), GAP, '(?:[a-z]{1,10} )?', any('that to about this for they only into his her their it we our you')),
      after('respond reply answer output return write say print begin start end finish conclude close open', GAP, '(?:[a-z]{1,12} ){0,3}?', any('only+(?:with|in|as|using|by|the+(?:word|name|phrase|text)) exactly solely nothing+but verbatim with+the+(?:words?|phrase|text|sentence|following|exact) the+following+(?:text|words?|sentence|phrase|exactly|message) your+(?:answers?|responses?|reply|messages?|summary)+(?:with|by)'), GAP),
      after('append add include insert prepend embed attach put mention repeat', more(6), any('to in into of'), more(1), any('your every each all any'), more(1), any('answers? responses? reply replies outputs? messages? summary summaries')),
      after("do don't dont never without avoid refrain", GAP, '(?:not |from )?(?:[a-z]{1,12} ){0,2}?', any('tell telling inform informing reveal revealing ask asking notify notifying alert alerting warn warning disclose disclosing mention mentioning show showing confirm confirming let letting'), GAP, maybe(4, 'this it that anything these+instructions with of to from'.replaceAll('+', ' ')), USER),
      after('without', GAP, "(?:the )?(?:user|human|customer|person)'?s? (?:[a-z]{1,10} )?", any('knowledge consent permission confirmation approval knowing noticing awareness')),
      after('keep hide conceal', GAP, '(?:this|these|it|that)', more(3), any('secret hidden confidential to+yourself from+(?:the+)?users?')),
      after('reveal show leak print output display disclose share give tell repeat dump reproduce recite list expose write return paste translate encode summarize summarise', GAP, maybe(6, 'me us out back verbatim all the your any every full complete entire exact of its own current'), SECRET),
      after('repeat print output copy write echo', GAP, '(?:back |out |verbatim )?(?:everything|the words|the text|all (?:the )?text|all of the above|your instructions|all words)', more(4), any('above before previous verbatim prompt start system')),
      after('what', ' (?:is|are|was|were) your (?:system|original|initial|hidden|secret|exact|first) (?:prompt|instructions?|rules|message)\\b'),
    ],
  ],
  [
    'asks a model to act or to send data',
    [
      after('send sending post forward upload email exfiltrate transmit leak submit deliver copy pass report share relay append encode include put write dump attach steal collect gather extract', more(4), PRIVATE, more(8), any('to at in into with as via toward using'), GAP, '(?:the |a |an )?(?:[a-z]{1,12} ){0,2}?', ADDRESS),
      after('send post forward upload exfiltrate transmit leak steal reveal collect extract', GAP, maybe(4, "all the your any every of entire full whole current user's their complete this my"), any("conversation (?:chat|conversation|message)+history system+prompt context+window api+keys? credentials? environment+variables? env+vars session+tokens? access+tokens? private+keys? user's+(?:password|credentials|private+data|secrets)")),
      after('call invoke use run execute trigger issue launch chain', GAP, '(?:the |your |a |any |every )?[^a-z0-9]{0,2}[a-z0-9]{2,30}(?:[ .-][a-z0-9]{1,20}){0,2}[^a-z0-9]{0,2} (?:tool|function)(?: call)?\\b', more(6), any('with to and on now before immediately using without then')),
      after('run execute eval evaluate invoke call type paste launch enter', '(?<=(?:must|should|can|need to|have to|now|then|please|immediately|first|next|always|and) [a-z]{3,8})', GAP, '(?:(?:the|this|these|that|following) ){1,3}(?:[a-z]{1,12} ){0,2}?', any('commands? code script instructions? shell tool function payload')),
      after('rm curl wget drop powershell sudo chmod bash eval', '(?:(?<=rm) -rf|(?<=curl|wget) (?:-[a-z]{1,6} ){0,4}https?:|(?<=drop) table\\b|(?<=powershell) -|(?<=sudo) [a-z]{2,12} |(?<=chmod) [0-7+]|(?<=bash) -c|(?<=eval)\\()'),
      after('visit open fetch browse navigate go load request retrieve download read follow get access call', GAP, maybe(5, 'to the this page url link site instructions? at file from document content of'), '(?:https?:|www\\.)[^\\s]{1,200}', more(3), any('and then for to'), GAP, '(?:[a-z]{1,12} ){0,2}?', any('follow obey do execute run enter install obtain comply carry treat get complete act further more your+(?:new|next|real) instructions? perform')),
      after('follow obey execute carry comply adhere perform apply', GAP, '(?:out |with |to )?', maybe(4, 'all the these those any every our its hidden following new embedded of only'), any('instructions? commands? directives? orders'), more(3), any('at in from on below here inside contained found hidden exactly without immediately instead written of+this within listed first before now precisely')),
      after('transfer pay buy purchase subscribe order book donate sign checkout delete remove wire', more(6), "(?:on behalf of (?:the|your) user|on the user's behalf|without (?:asking|confirmation|confirming|telling|approval|user)|using (?:the|their|his) (?:user's |saved |stored )?(?:card|credit card|account|payment|wallet|credentials)|from (?:the|their) user'?s? (?:account|wallet|inbox|calendar|drive))"),
      after('delete remove erase modify overwrite archive read search open access scan', GAP, maybe(3, 'all the every any of'), "(?:users?|user's|their|your) (?:files|e-?mails|inbox|calendar|contacts|documents|repository|repositories|drive|database|messages|records|account|home directory|password manager|ssh keys?)", GAP, any('and then without now immediately to')),
      after('decode decrypt decipher unscramble base64 rot13 hex reverse translate', more(8), any('and then'), GAP, any('follow obey execute run do comply carry act apply perform treat')),
      after('save store remember write add record commit persist', more(6), any('to in into'), GAP, '(?:your |the |its )?(?:long[- ]term |permanent |persistent )?memory\\b'),
    ],
  ],
  [
    'asks in another language to ignore instructions, to recommend or to play a role',
    [
      // Spanish, Portuguese and Italian; French; German; Dutch, Swedish, Polish, Indonesian and Vietnamese; Turkish.
      after('ignora ignore ignorad ignoren olvida olvide olviden descarta omite omita desconsidere esqueca esquece ignorare dimentica dimenticare tralascia', more(4), any('instrucciones indicaciones ordenes reglas instrucoes ordens regras istruzioni indicazioni regole prompt mensajes')),
      after('ignorez ignore ignorer oubliez oublie oublier negligez compte', more(5), any('instructions consignes directives regles ordres')),
      after('ignoriere ignorieren ignoriert vergiss vergessen missachte missachten uberschreibe beachte', more(5), any('anweisungen instruktionen regeln befehle vorgaben anordnungen prompts?')),
      after('negeer vergeet ignorera glom zignoruj ignoruj zapomnij abaikan lupakan bo quen', more(5), any('instructies opdrachten regels instruktioner instrukcje instrukcji polecenia polecen wytyczne instruksi perintah huong+dan chi+dan lenh')),
      after('onceki yukaridaki tum', more(3), any('talimatlari komutlari kurallari yonergeleri'), more(2), any('yoksay unut gormezden dikkate+alma')),
      after('recomienda recomiende recommande recommandez empfiehl empfehle empfehlen raccomanda consiglia recomende polecaj beveel', more(2), any('siempre solo unicamente toujours uniquement seulement immer nur sempre solamente apenas zawsze tylko altijd alleen')),
      after('siempre toujours immer sempre zawsze altijd', more(2), any('recomienda recomiende recommande recommandez empfiehl empfehlen raccomanda consiglia recomende polecaj aanbevelen')),
      after('eres es etes bist sei voce jestes bent sen', '(?<=ahora eres|partir de ahora eres|tu es|vous etes|du bist|ora sei|agora voce|jestes|je bent|sen)', ' ?', any('maintenant jetzt nun ab+jetzt un una e+um e+uma teraz nu artik')),
    ],
  ],
]

/** A pattern, or its beginning and its rest. The rest is tried a limited number of times, because a text may repeat the beginning. */
type SignPattern = string | readonly [beginning: string, rest: string]

// Patterns that do not begin with a word that `RULES` could look up: most begin with a symbol or with letters of another script.
export const SIGNS: readonly (readonly [reason: string, patterns: readonly SignPattern[]])[] = [
  [
    'imitates the frame of a conversation with a model',
    [
      '<\\|[a-z /]{2,30}\\|>',
      '\\[/?(?:inst|sys|system|assistant|user)\\]',
      '<</?sys>>',
      '</?(?:system|assistant|instructions?|system[ -](?:reminder|prompt|message|instructions?|note)|important|admin|developer|tool[ -](?:calls?|results?|use|output|response)|function[ -](?:calls?|results?)|invoke|antml:[a-z ]{1,30}|user[ -](?:query|message|input|request)|human|secret|hidden|override|prompt|llm|ai)(?: [^<>]{0,60})?>',
      '#{2,6} ?(?:system|instructions?|assistant|human|new (?:task|instructions?)|response|user)(?: (?:prompt|message|instructions?|note))?\\b[^a-z0-9]{0,3}(?:\\n|:|$)',
      '[-=*#~\\[<{|]{2} ?(?:begin|start|end)(?: of)?(?: the| this)?(?: [a-z]{1,14}){0,3}? ?(?:prompt|instructions?|output|results?|message|context|data|input|document|listing|description|content|text|conversation|response)\\b',
      '"(?:role|type)" ?: ?"(?:system|assistant|developer|tool|function)',
    ],
  ],
  ['asks a model to act or to send data', ['!\\[[^\\]\\n]{0,80}\\]\\(https?:[^)\\s]{0,200}[?&/][^)\\s]{0,40}[{<\\[$]']],
  [
    'hides words from readers',
    [
      '(?<![a-z0-9])[a-z](?:[ .*-][a-z]){5,400}(?![a-z0-9])',
      '<!--',
      '(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0)\\b',
      '&#x?[0-9a-f]{2,6};(?:&#x?[0-9a-f]{2,6};){4}',
      '(?:\\\\x[0-9a-f]{2}){5}|(?:\\\\u[0-9a-f]{4}){4}|(?:%[0-9a-f]{2}){12}',
    ],
  ],
  [
    'asks in another language to ignore instructions, to recommend or to play a role',
    [
      // Russian and Ukrainian, Chinese, Japanese, Korean, Arabic, Hindi.
      [
        '(?:игнорируй|игнорируйте|проигнорируй|забудь|забудьте|ігноруй|ігноруйте|не обращай внимания)',
        '[^.!?\\n]{0,40}(?:инструкци|указани|правил|команд|промпт|сообщени|інструкці|вказівк)',
      ],
      ['(?:всегда|завжди)', '[^.!?\\n]{0,20}(?:рекомендуй|рекомендуйте|предлагай|советуй)'],
      [
        '(?:忽略|无视|無視|忘记|忘記|不要理会|忽視)',
        '[^。！？\\n]{0,16}(?:指令|指示|提示|说明|說明|规则|規則|命令|内容)',
      ],
      '你现在是|從現在起你是|从现在起你是|从现在开始你|总是推荐|始终推荐|必须推荐|只推荐',
      ['(?:指示|命令|指令|ルール|プロンプト|規則)', '[^。！？\\n]{0,10}(?:無視|忘れ|従わない)'],
      'あなたは今から|これからあなたは',
      ['(?:必ず|常に)', '[^。\\n]{0,10}(?:推薦|おすすめ)'],
      '(?:지시|명령|지침|프롬프트|규칙)[^.!?\\n]{0,10}(?:무시|잊어|잊고)|이제부터 (?:너는|당신은)|항상[^.\\n]{0,10}추천',
      ['(?:تجاهل|تجاهلوا|انس|انسى)', '[^.!؟\\n]{0,40}(?:التعليمات|الأوامر|القواعد|تعليمات)'],
      ['(?:निर्देश|निर्देशों|आदेश|नियम)', '[^.!?।\\n]{0,20}(?:अनदेखा|नज़रअंदाज़|भूल)'],
    ],
  ],
]
