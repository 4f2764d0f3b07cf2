"""Tokenizers in the forms of published models, trained on the documents of the project."""

import base64
import io
import json

from tokenizer_texts import DOCS, Texts
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, trainers
from tokenizers import pre_tokenizers as pre
from tokenizers.processors import (
    BertProcessing,
    RobertaProcessing,
    Sequence,
    TemplateProcessing,
)
from tokenizers.processors import ByteLevel as ByteLevelEnds

SIZE = 1500
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN_2 = LLAMA_3.replace("{1,3}", "")
GPT_4O = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
DEEPSEEK = (
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def corpus(random_texts: int = 500) -> list[str]:
    texts = Texts(1, [])
    lines = [line for path in sorted(DOCS.glob("*.md")) for line in path.open(encoding="utf-8")]
    return lines[:1500] + [texts.text() for _ in range(random_texts)]


def trained(tokenizer: Tokenizer, trainer: object) -> Tokenizer:
    tokenizer.train_from_iterator(corpus(), trainer)
    return tokenizer


def of_bytes(pre_tokenizer: object, special: str, **options: object) -> Tokenizer:
    made = Tokenizer(models.BPE(**options))
    made.pre_tokenizer = pre_tokenizer
    made.decoder = decoders.ByteLevel()
    made.post_processor = ByteLevelEnds(trim_offsets=False)
    alphabet = pre.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, initial_alphabet=alphabet, special_tokens=[special], show_progress=False
    )
    return trained(made, trainer)


def split_bytes(*patterns: str) -> object:
    splits = [pre.Split(Regex(pattern), "isolated") for pattern in patterns]
    return pre.Sequence([*splits, pre.ByteLevel(add_prefix_space=False, use_regex=False)])


def gpt2() -> Tokenizer:
    return of_bytes(pre.ByteLevel(add_prefix_space=False), "<|endoftext|>")


def roberta() -> Tokenizer:
    made = of_bytes(pre.ByteLevel(add_prefix_space=True), "<s>")
    made.add_special_tokens(["</s>", AddedToken("<mask>", lstrip=True, special=True)])
    ends = ("</s>", made.token_to_id("</s>")), ("<s>", made.token_to_id("<s>"))
    made.post_processor = RobertaProcessing(*ends)
    return made


def llama3() -> Tokenizer:
    made = of_bytes(split_bytes(LLAMA_3), "<|begin_of_text|>", ignore_merges=True)
    made.add_special_tokens(["<|end_of_text|>", "<|eot_id|>"])
    begin = "<|begin_of_text|>"
    template = TemplateProcessing(f"{begin} $A", f"{begin} $A {begin} $B:1", [(begin, 0)])
    made.post_processor = Sequence([ByteLevelEnds(trim_offsets=True), template])
    return made


def qwen2() -> Tokenizer:
    made = of_bytes(split_bytes(QWEN_2), "<|endoftext|>")
    made.normalizer = normalizers.NFC()
    made.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    return made


def gpt4o() -> Tokenizer:
    return of_bytes(split_bytes(GPT_4O), "<|endoftext|>")


def deepseek() -> Tokenizer:
    splits = split_bytes(r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+", DEEPSEEK)
    return of_bytes(splits, "<|end|>")


def of_sentence_piece(**parts: object) -> Tokenizer:
    made = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    for name, value in parts.items():
        setattr(made, name, value)
    specials = ["<unk>", "<s>", "</s>", *BYTES]
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE, special_tokens=specials, limit_alphabet=80, show_progress=False
    )
    trained(made, trainer)
    fields = json.loads(made.to_str())
    fields["added_tokens"] = fields["added_tokens"][:3]
    return Tokenizer.from_str(json.dumps(fields))


def marks_to_text(*more: object) -> object:
    steps = [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), *more]
    return decoders.Sequence(steps)


def bos_template() -> object:
    return TemplateProcessing("<s> $A", "<s> $A <s> $B:1", [("<s>", 1)])


def llama2() -> Tokenizer:
    steps = [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    return of_sentence_piece(
        normalizer=normalizers.Sequence(steps),
        decoder=marks_to_text(decoders.Strip(" ", 1, 0)),
        post_processor=bos_template(),
    )


def mistral() -> Tokenizer:
    return of_sentence_piece(
        pre_tokenizer=pre.Metaspace(prepend_scheme="first", split=False),
        decoder=marks_to_text(decoders.Strip(" ", 1, 0)),
        post_processor=bos_template(),
    )


def metaspace() -> Tokenizer:
    return of_sentence_piece(pre_tokenizer=pre.Metaspace(), decoder=decoders.Metaspace())


def gemma() -> Tokenizer:
    made = of_sentence_piece(
        normalizer=normalizers.Replace(" ", "\u2581"),
        pre_tokenizer=pre.Split(" ", "merged_with_previous"),
        decoder=marks_to_text(),
        post_processor=bos_template(),
    )
    plain = ["\n\n", "\n", "\u2581\u2581", "\u2581\u2581\u2581", "<table>"]
    made.add_tokens([AddedToken(each, normalized=False) for each in plain])
    return made


def of_words(normalizer: object, pre_tokenizer: object) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer, made.pre_tokenizer = normalizer, pre_tokenizer
    made.decoder = decoders.WordPiece()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=SIZE, special_tokens=specials, show_progress=False
    )
    trained(made, trainer)
    made.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return made


def bert() -> Tokenizer:
    return of_words(normalizers.BertNormalizer(), pre.BertPreTokenizer())


def bert_cased() -> Tokenizer:
    return of_words(normalizers.BertNormalizer(lowercase=False), pre.BertPreTokenizer())


def mixed_words() -> Tokenizer:
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    splits = [pre.WhitespaceSplit(), pre.Punctuation("merged_with_next"), pre.Digits(True)]
    made = of_words(normalizers.Sequence([*steps, normalizers.Strip()]), pre.Sequence(splits))
    plain = [
        AddedToken("tensor", single_word=True),
        AddedToken("Mithril", normalized=True),
        AddedToken("<sep>", lstrip=True, rstrip=True),
    ]
    made.add_tokens(plain)
    return made


def whitespace_words() -> Tokenizer:
    return of_words(normalizers.NFKC(), pre.Whitespace())


def charsmap(rule: str) -> str:
    """The compiled map of characters of SentencePiece, in base64."""
    import sentencepiece  # noqa: PLC0415
    from sentencepiece import sentencepiece_model_pb2 as proto  # noqa: PLC0415

    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(["a b c d e f g"] * 50),
        model_writer=model,
        vocab_size=12,
        hard_vocab_limit=False,
        normalization_rule_name=rule,
        minloglevel=2,
    )
    parsed = proto.ModelProto.FromString(model.getvalue())
    return base64.b64encode(parsed.normalizer_spec.precompiled_charsmap).decode()


def of_pieces(rule: str, byte_fallback: bool = False) -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=SIZE,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    made.train_from_iterator(corpus(random_texts=10), trainer)
    fields = json.loads(made.to_str())
    fields["normalizer"] = {
        "type": "Sequence",
        "normalizers": [
            {"type": "Precompiled", "precompiled_charsmap": charsmap(rule)},
            {"type": "Strip", "strip_left": False, "strip_right": True},
            {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": "\u2581"},
        ],
    }
    if byte_fallback:
        fields["model"]["byte_fallback"] = True
        fields["model"]["vocab"] += [[each, -12.0] for each in BYTES]
        fields["decoder"] = json.loads(marks_to_text().__getstate__())
    made = Tokenizer.from_str(json.dumps(fields))
    made.add_special_tokens([f"<extra_id_{i}>" for i in range(4)])
    made.post_processor = TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 1)])
    return made


def t5() -> Tokenizer:
    return of_pieces("nmt_nfkc")


def t5_bytes() -> Tokenizer:
    return of_pieces("nmt_nfkc_cf", byte_fallback=True)


FAMILIES = {
    each.__name__: each
    for each in (
        *(gpt2, roberta, llama3, qwen2, gpt4o, deepseek, llama2, mistral, metaspace, gemma),
        *(bert, bert_cased, mixed_words, whitespace_words, t5, t5_bytes),
    )
}
