"""Cases of models that read images only."""

import efficientnet
import mobilenet_v2
import numpy as np
import resnet
import segformer
import swin
import transformers
import vit
from agreement import NO_DROPOUT, Arrays, Case


def images(*sizes):
    """Batches of images of the given heights and widths."""

    def draw(rng: np.random.Generator, size: int) -> Arrays:
        return {"pixel_values": rng.normal(size=(2 + size, 3, *sizes[size]))}

    return draw


def classifier(example, compose, reference, config, *sizes):
    return Case(example, compose, reference, config, images(*sizes), ("logits",))


def resnet_case(layer_type):
    config = transformers.ResNetConfig(
        embedding_size=8,
        hidden_sizes=[8, 12],
        depths=[1, 2],
        layer_type=layer_type,
        num_labels=7,
    )
    reference = transformers.ResNetForImageClassification
    return classifier(resnet, resnet.resnet, reference, config, (24, 32), (33, 40))


def vit_case():
    config = transformers.ViTConfig(
        image_size=16,
        patch_size=8,
        hidden_size=24,
        intermediate_size=40,
        num_hidden_layers=2,
        num_attention_heads=3,
        num_labels=7,
        **NO_DROPOUT,
    )
    reference = transformers.ViTForImageClassification
    return classifier(vit, vit.vit, reference, config, (16, 16), (16, 16))


def mobilenet_v2_case(**more):
    config = transformers.MobileNetV2Config(
        depth_multiplier=0.1,
        expand_ratio=2,
        num_labels=7,
        classifier_dropout_prob=0.0,
        **more,
    )
    reference = transformers.MobileNetV2ForImageClassification
    sizes = ((64, 32), (33, 64))
    return classifier(mobilenet_v2, mobilenet_v2.mobilenet_v2, reference, config, *sizes)


def efficientnet_case():
    config = transformers.EfficientNetConfig(
        width_coefficient=0.1,
        depth_coefficient=0.5,
        hidden_dim=128,
        depthwise_padding=[3],
        dropout_rate=0.0,
        drop_connect_rate=0.0,
        num_labels=7,
    )
    reference = transformers.EfficientNetForImageClassification
    sizes = ((64, 96), (96, 64))
    return classifier(efficientnet, efficientnet.efficientnet, reference, config, *sizes)


def swin_case(image_size):
    config = transformers.SwinConfig(
        image_size=image_size,
        patch_size=2,
        embed_dim=8,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
        drop_path_rate=0.0,
        num_labels=7,
    )
    reference = transformers.SwinForImageClassification
    return classifier(swin, swin.swin, reference, config, *[2 * (image_size,)] * 2)


def segformer_case():
    config = transformers.SegformerConfig(
        num_encoder_blocks=3,
        depths=[1, 2, 1],
        sr_ratios=[4, 2, 1],
        hidden_sizes=[8, 12, 16],
        patch_sizes=[7, 3, 3],
        strides=[4, 2, 2],
        num_attention_heads=[1, 2, 4],
        mlp_ratios=[2, 3, 2],
        decoder_hidden_size=12,
        classifier_dropout_prob=0.0,
        drop_path_rate=0.0,
        num_labels=7,
    )
    reference = transformers.SegformerForSemanticSegmentation
    return classifier(segformer, segformer.segformer, reference, config, (32, 64), (48, 32))


CASES = {
    "resnet_basic": lambda: resnet_case("basic"),
    "resnet_bottleneck": lambda: resnet_case("bottleneck"),
    "vit": vit_case,
    "mobilenet_v2": mobilenet_v2_case,
    "mobilenet_v2_dilated": lambda: mobilenet_v2_case(
        output_stride=8, tf_padding=False, first_layer_is_expansion=False, hidden_act="silu"
    ),
    "efficientnet": efficientnet_case,
    "swin": lambda: swin_case(16),  # the second stage is one window
    "swin_padded": lambda: swin_case(20),
    "segformer": segformer_case,
}
