"""Names of torch.nn, torch.optim, Keras and optax: each exists or says what to use."""

import re
from typing import Any

import numpy as np
import pytest
from mithril._internal.foreign_names import replacements
from mithril._internal.migration_hints import COMPILED, MODEL, MODULE, OPTIMIZER, STEP
from mithril._internal.records import public_records
from mithril._internal.synonyms import ADVICE, SYNONYMS

import mithril as ml

# The public names of keras.layers in Keras 3.
KERAS = """
Activation ActivityRegularization Add AdditiveAttention AlphaDropout Attention AugMix AutoContrast
Average AveragePooling1D AveragePooling2D AveragePooling3D AvgPool1D AvgPool2D AvgPool3D
BatchNormalization Bidirectional CategoryEncoding CenterCrop Concatenate Conv1D Conv1DTranspose
Conv2D Conv2DTranspose Conv3D Conv3DTranspose ConvLSTM1D ConvLSTM2D ConvLSTM3D Convolution1D
Convolution1DTranspose Convolution2D Convolution2DTranspose Convolution3D Convolution3DTranspose
Cropping1D Cropping2D Cropping3D CutMix Dense DepthwiseConv1D DepthwiseConv2D Discretization Dot
Dropout ELU EinsumDense Embedding Equalization Flatten FlaxLayer GRU GRUCell GaussianDropout
GaussianNoise GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D GlobalAvgPool1D
GlobalAvgPool2D GlobalAvgPool3D GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D GlobalMaxPooling1D
GlobalMaxPooling2D GlobalMaxPooling3D GroupNormalization GroupQueryAttention HashedCrossing Hashing
Identity Input InputLayer InputSpec IntegerLookup JaxLayer LSTM LSTMCell Lambda Layer
LayerNormalization LeakyReLU Masking MaxNumBoundingBoxes MaxPool1D MaxPool2D MaxPool3D MaxPooling1D
MaxPooling2D MaxPooling3D Maximum MelSpectrogram Minimum MixUp MultiHeadAttention Multiply
Normalization PReLU Permute Pipeline RMSNormalization RNN RandAugment RandomBrightness
RandomColorDegeneration RandomColorJitter RandomContrast RandomCrop RandomElasticTransform
RandomErasing RandomFlip RandomGaussianBlur RandomGrayscale RandomHue RandomInvert
RandomPerspective RandomPosterization RandomRotation RandomSaturation RandomSharpness RandomShear
RandomTranslation RandomZoom ReLU RepeatVector Rescaling Reshape Resizing ReversibleEmbedding
STFTSpectrogram SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D
SimpleRNN SimpleRNNCell Softmax Solarization SpatialDropout1D SpatialDropout2D SpatialDropout3D
SpectralNormalization StackedRNNCells StringLookup Subtract TFSMLayer TextVectorization
TimeDistributed TorchModuleWrapper UnitNormalization UpSampling1D UpSampling2D UpSampling3D Wrapper
ZeroPadding1D ZeroPadding2D ZeroPadding3D add average concatenate deserialize dot maximum minimum
multiply serialize subtract EarlyStopping ModelCheckpoint LearningRateScheduler ReduceLROnPlateau
CSVLogger
"""
# The public names of optax.
OPTAX = """
AdaptiveGradClipState AddDecayedWeightsState AddNoiseState ApplyEvery ApplyIfFiniteState
ClipByGlobalNormState ClipState ConditionallyMaskState ConditionallyTransformState
DifferentiallyPrivateAggregateState EmaState EmptyState FactoredState GradientTransformation
GradientTransformationExtraArgs InjectHyperparamsState InjectStatefulHyperparamsState
LookaheadParams LookaheadState MaskOrFn MaskedNode MaskedState MonitorState MultiSteps
MultiStepsState MultiTransformState NonNegativeParamsState OptState Params PartitionState
ScalarOrSchedule ScaleByAdaDeltaState ScaleByAdamState ScaleByTrustRatioState ScaleState Schedule
ShouldSkipUpdateFunction SnapshotState TraceState TransformInitFn TransformUpdateExtraArgsFn
TransformUpdateFn Updates WrappedSchedule ZeroNansState ZoomLinesearchInfo adabelief adadelta
adafactor adagrad adam adamax adamaxw adamw adan adaptive_grad_clip add_decayed_weights add_noise
amsgrad apply_every apply_if_finite apply_updates assignment bias_correction centralize chain clip
clip_by_block_rms clip_by_global_norm conditionally_mask conditionally_transform constant_schedule
contrib convex_kl_divergence cosine_decay_schedule cosine_distance cosine_onecycle_schedule
cosine_similarity ctc_loss ctc_loss_with_forward_probs differentially_private_aggregate dpsgd ema
exponential_decay flatten freeze fromage global_norm hinge_loss huber_loss identity
incremental_update init_empty_state inject_hyperparams inject_stateful_hyperparams join_schedules
keep_params_nonnegative kl_divergence l2_loss lamb lars lbfgs linear_onecycle_schedule
linear_schedule lion log_cosh lookahead losses masked matrix_inverse_pth_root measure_with_ema
monitor monte_carlo multi_normal multi_transform nadam nadamw named_chain nnls noisy_sgd
normalize_by_update_norm novograd ntxent optimistic_adam optimistic_adam_v2
optimistic_gradient_descent partition per_example_global_norm_clip per_example_layer_norm_clip
periodic_update perturbations piecewise_constant_schedule piecewise_interpolate_schedule polyak_sgd
polynomial_schedule power_iteration projections radam rmsprop rprop safe_increment
safe_int32_increment safe_norm safe_root_mean_squares safe_softmax_cross_entropy scale
scale_by_adadelta scale_by_adam scale_by_adamax scale_by_adan scale_by_amsgrad
scale_by_backtracking_linesearch scale_by_belief scale_by_distance_over_gradients
scale_by_factored_rms scale_by_lbfgs scale_by_learning_rate scale_by_lion scale_by_novograd
scale_by_optimistic_gradient scale_by_param_block_norm scale_by_param_block_rms scale_by_polyak
scale_by_radam scale_by_rms scale_by_rprop scale_by_rss scale_by_schedule scale_by_sign
scale_by_sm3 scale_by_stddev scale_by_trust_ratio scale_by_yogi scale_by_zoom_linesearch
scale_gradient schedules second_order selective_transform set_to_zero sgd sgdr_schedule
sigmoid_binary_cross_entropy sigmoid_focal_loss sign_sgd skip_large_updates skip_not_finite sm3
smooth_labels snapshot softmax_cross_entropy softmax_cross_entropy_with_integer_labels
squared_error stateless stateless_with_tree_map trace transforms tree tree_map_params tree_utils
update_infinity_moment update_moment update_moment_per_elem_norm value_and_grad_from_state
warmup_constant_schedule warmup_cosine_decay_schedule warmup_exponential_decay_schedule
with_extra_args_support yogi zero_nans
"""
OTHERS = "value_and_grad from_pretrained vmap DataLoader manual_seed stack load_weights"


def check(name: str) -> None:
    if hasattr(ml, name):
        return
    with pytest.raises(ml.AttributeError) as caught:
        getattr(ml, name)
    assert caught.value.code == "E0624"
    assert caught.value.help.startswith(("use ", "did you mean "))


@pytest.mark.parametrize("name", (KERAS + OPTAX + OTHERS).split())
@pytest.mark.sampled(5)
def test_a_name_of_keras_or_optax_names_the_replacement(name: str) -> None:
    check(name)


def test_names_of_torch_name_the_replacement() -> None:
    torch = pytest.importorskip("torch")
    for module in (torch.nn, torch.optim):
        for name in dir(module):
            if not name.startswith("_"):
                check(name)
    for name in dir(torch.optim.lr_scheduler):
        if name[0] != "_" and name.endswith(("LR", "Scheduler", "Restarts", "Plateau")):
            check(name)


NAMES = re.compile(r"(?<![\w.\"])([A-Z][A-Za-z0-9]+)\(")
PROPER = {"PerSample"}


def test_replacements_exist() -> None:
    tables = (replacements(), MODULE, MODEL, COMPILED, STEP, OPTIMIZER)
    for table in tables:
        for advice in table.values():
            for name in NAMES.findall(advice):
                assert hasattr(ml, name), advice


def test_a_synonym_is_not_an_argument_beside_its_own_name() -> None:
    """Otherwise the synonym would be another argument of the function."""
    known = {argument["name"] for record in public_records() for argument in record["arguments"]}
    of_training = {"lr", "betas", "eps", "weight_decay", "groups", "data", "params", "state"}
    of_training |= {"epochs", "validation", "callbacks", "checkpoint", "patience", "progress"}
    of_training |= {"accumulate", "max_norm", "max_value", "average", "output_gradients", "label"}
    of_training |= {"use_amp", "amp_dtype", "threads", "workers", "shapes", "types", "batch_size"}
    of_training |= {
        "gradients",
        "gradient",
        "gradient_keys",
        "path",
        "max_tokens",
        "stop",
        "tolerance",
        "inference",
    }
    for key, names in SYNONYMS.items():
        assert key not in names
        assert set(names) <= known | of_training | {"input"}, key
    assert all(advice for advice in ADVICE.values())


ARGUMENTS: list[tuple[Any, dict[str, Any], str]] = [
    (ml.Softmax, {"dim": 1}, "here it is 'axis'"),
    (ml.Dropout, {"rate": 0.1}, "here it is 'p'"),
    (ml.Linear, {"bias": False}, "here it is 'use_bias'"),
    (ml.Linear, {"units": 3}, "here it is 'dimension'"),
    (ml.LSTM, {"units": 3}, "here it is 'hidden_size'"),
    (
        ml.GRU,
        {"hidden_size": 3, "return_sequences": True},
        "leave it out: 'output' has all steps, and 'h_n' the last states",
    ),
    (ml.Linear, {"in_features": 3}, "leave it out: the sizes of inputs are inferred"),
    (ml.Conv2d, {"kernel": 3}, "here it is 'kernel_size'"),
    (ml.Conv2d, {"out_channels": 3, "bias": True}, "here it is 'filters'"),
    (ml.fit, {"verbose": 1}, "here it is 'progress'"),
    (ml.fit, {"validation_data": 1}, "here it is 'validation'"),
    (ml.Adam, {"learning_rate": 1}, "here it is 'lr'"),
    (ml.IOKey("x").mean, {"dim": 1}, "here it is 'axis'"),
    (ml.compile, {"input_shape": 1}, "here it is 'shapes'"),
    (ml.compile, {"optimizer": "adam"}, "TrainingStep(compiled, optimizer) trains"),
]


@pytest.mark.parametrize(("function", "arguments", "help"), ARGUMENTS)
def test_an_argument_of_another_library_is_translated(
    function: Any, arguments: dict[str, Any], help: str
) -> None:
    with pytest.raises(ml.NameError) as caught:
        function(**arguments)
    assert caught.value.code == "E0605"
    assert caught.value.help == help


def test_a_method_of_another_library_names_the_replacement() -> None:
    with pytest.raises(ml.AttributeError, match=r"use optimizer\.lr = value"):
        ml.Adam().set_lr(0.1)
    with pytest.raises(ml.AttributeError, match=r"use ml.fit\(TrainingStep"):
        ml.Model().fit()
    with pytest.raises(ml.AttributeError, match="there is no key 'nothing'"):
        getattr(ml.Model(), "nothing")  # noqa: B009 - the attribute does not exist


def test_an_input_in_the_constructor_is_named() -> None:
    with pytest.raises(ml.TypeError) as caught:
        ml.Relu(ml.IOKey("x"))
    assert str(caught.value) == (
        "mithril.TypeError[E0307]: Relu: an input was passed to the constructor\n"
        "  help: call the model with it: ml.Relu()(x)"
    )


def test_an_input_in_the_constructor_says_where_it_belongs() -> None:
    x = ml.IOKey("x")
    calls: list[tuple[Any, str]] = [
        (lambda: ml.Relu(x), "ml.Relu()(x)"),
        (lambda: ml.Relu(np.ones(3)), "ml.Relu()(x)"),
        (lambda: ml.Relu(input="x"), 'ml.Relu()(input="x")'),
        (lambda: ml.Relu(output="y"), 'ml.Relu()(output="y")'),
        (lambda: ml.Linear(x), "ml.Linear(...)(x)"),
        (lambda: ml.Linear(3, input="x"), 'ml.Linear(...)(input="x")'),
        (lambda: ml.Softmax(input=x), "ml.Softmax()(input=x)"),
    ]
    for call, shown in calls:
        with pytest.raises(ml.TypeError) as caught:
            call()
        name = shown[3:].partition("(")[0]
        assert str(caught.value) == (
            f"mithril.TypeError[E0307]: {name}: an input was passed to the constructor\n"
            f"  help: call the model with it: {shown}"
        )
